# Pages that derive from the program's tables: cgsolve(1) and completions of shells, written by a
# program of this build. They are not in the tarball, whose build writes them; a build for another
# machine goes without.
EXTRA_DIST += \
	%D%/completion.bash \
	%D%/completion.fish \
	%D%/completion.sh \
	%D%/completion.zsh
if NATIVE
noinst_PROGRAMS += %D%/write_pages
%C%_write_pages_SOURCES = \
	%D%/completion.c \
	%D%/keys.c \
	%D%/manual.c \
	%D%/pages.h \
	%D%/write_pages.c
%C%_write_pages_LDADD = $(program_libs)

man_MANS = %D%/cgsolve.1
bashcompletiondir = $(datadir)/bash-completion/completions
bashcompletion_DATA = %D%/completions/cgsolve
zshcompletiondir = $(datadir)/zsh/site-functions
zshcompletion_DATA = %D%/completions/_cgsolve
fishcompletiondir = $(datadir)/fish/vendor_completions.d
fishcompletion_DATA = %D%/completions/cgsolve.fish
CLEANFILES += $(man_MANS) $(bashcompletion_DATA) $(zshcompletion_DATA) $(fishcompletion_DATA)
write_pages = %D%/write_pages$(EXEEXT)
%D%/cgsolve.1: $(write_pages)
	$(AM_V_GEN)$(write_pages) manual '$(docdir)' >$@.$$$$ && mv -f $@.$$$$ $@
%D%/completions/cgsolve: $(write_pages) %D%/completion.sh %D%/completion.bash
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { echo '# Completion of bash for cgsolve, from the tables of the program.'; \
		$(write_pages) completion && cat $(srcdir)/%D%/completion.sh $(srcdir)/%D%/completion.bash; \
		} >$@.$$$$ && mv -f $@.$$$$ $@
%D%/completions/_cgsolve: $(write_pages) %D%/completion.sh %D%/completion.zsh
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { echo '#compdef cgsolve'; \
		echo '# Completion of zsh for cgsolve, from the tables of the program.'; \
		$(write_pages) completion && $(write_pages) zsh && \
		cat $(srcdir)/%D%/completion.sh $(srcdir)/%D%/completion.zsh; } >$@.$$$$ && mv -f $@.$$$$ $@
%D%/completions/cgsolve.fish: $(write_pages) %D%/completion.fish
	$(AM_V_GEN)$(MKDIR_P) $(@D) && { echo '# Completion of fish for cgsolve, from the tables of the program.'; \
		cat $(srcdir)/%D%/completion.fish && $(write_pages) fish; } >$@.$$$$ && mv -f $@.$$$$ $@
endif

# The pictures of doc/figures.md, which bench/figures and bench/figures-gpus draw, and those of doc/collection.md,
# doc/order.md and doc/own.md.
figuresdir = $(pagesdir)/figures
dist_figures_DATA = \
	%D%/figures/0-mups.svg \
	%D%/figures/1-convergence.svg \
	%D%/figures/2-crs-throughput.svg \
	%D%/figures/3-throughput.svg \
	%D%/figures/4-time.svg \
	%D%/figures/4-transfer-time.svg \
	%D%/figures/5-transfer-throughput.svg \
	%D%/figures/6-iterations.svg \
	%D%/figures/6-mups.svg \
	%D%/figures/7-scaling.svg \
	%D%/figures/8-gpus.svg \
	%D%/figures/8-gpus-cg-strong.svg \
	%D%/figures/8-gpus-cg-weak.svg \
	%D%/figures/8-gpus-mg-strong.svg \
	%D%/figures/8-gpus-mg-weak.svg \
	%D%/figures/collection-h200-profile.svg \
	%D%/figures/collection-h200-roofline.svg \
	%D%/figures/collection-h200-speedup.svg \
	%D%/figures/collection-profile.svg \
	%D%/figures/collection-roofline.svg \
	%D%/figures/collection-speedup.svg \
	%D%/figures/order-convergence.svg \
	%D%/figures/order-time.svg \
	%D%/figures/own-chip.svg \
	%D%/figures/own-heat-sink.svg \
	%D%/figures/own-manufactured.svg \
	%D%/figures/own-periodic-cell.svg \
	%D%/figures/own-wall.svg

# Pages of the headers, in doc/html/: made by `make doxygen`, never by `make all`.
EXTRA_DIST += %D%/Doxyfile %D%/doxygen/filter.awk %D%/doxygen/headers.md
.PHONY: doxygen
doxygen:
	@if ! command -v doxygen >/dev/null; then \
		echo "no doxygen here (package doxygen): the headers' pages are not made"; exit 0; \
	fi; \
	rm -rf %D%/html && $(MKDIR_P) %D% && { cat $(srcdir)/%D%/Doxyfile; \
		echo 'PROJECT_NUMBER = $(PACKAGE_VERSION)'; \
		echo 'INPUT_FILTER = "awk -f $(srcdir)/%D%/doxygen/filter.awk"'; \
		echo 'FILTER_PATTERNS = *.md=cat'; \
		echo 'STRIP_FROM_PATH = $(srcdir)'; \
		echo 'INCLUDE_PATH = $(srcdir)'; \
		echo 'OUTPUT_DIRECTORY = %D%'; \
		echo 'INPUT = $(srcdir)/%D%/doxygen $(doxygen_rooms:%=$(srcdir)/%)'; } | doxygen - && \
	echo "the headers' pages are %D%/html/index.html"
doxygen_rooms = base matrix fem kernels solver core lab src include
