# Exercises: a folder has the files of one (doc/teaching.md), which the program reads when it runs: at share/cgsolve of
# the build, a link, or where they are installed. Model solutions are not: what is judged may read /usr.
EXTRA_DIST += exercises
lab/exercise/exercises.lo: AM_CPPFLAGS += -DCGS_DATA='"$(shell realpath -m --relative-to='$(bindir)' '$(datadir)')"'
lab/exercise/exercises.lo: Makefile | share/cgsolve/exercises
DISTCLEANFILES = share/cgsolve/exercises
share/cgsolve/exercises:
	$(AM_V_GEN)$(MKDIR_P) $(@D) && rm -f $@ && $(LN_S) '$(abs_srcdir)/%D%' $@
install-data-local:
	@cd $(srcdir)/%D% && for file in */*; do \
		case $$file in */model.*) continue ;; esac; \
		folder='$(DESTDIR)$(pkgdatadir)/exercises'/`dirname $$file` && $(MKDIR_P) "$$folder" && \
		$(INSTALL_DATA) $$file "$$folder" || exit 1; \
	done
uninstall-local:
	rm -rf '$(DESTDIR)$(pkgdatadir)/exercises'
