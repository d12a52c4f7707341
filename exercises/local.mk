# Exercises: a folder has the files of one, exercises.def a line each (doc/teaching.md). What learners begin with is in
# the program, as lines; model solutions, and wrong ones, are for tests alone.
EXTRA_DIST += exercises
CLEANFILES += %D%/starts.inc
lab/exercise/exercises.lo: %D%/starts.inc
%D%/starts.inc: $(srcdir)/%D%/exercises.def $(srcdir)/%D%/*/start.*
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)sed -n 's/^CGS_EXERCISE(\([a-z_]*\), "\([a-z-]*\)".*/\1 \2/p' $(srcdir)/%D%/exercises.def | \
	while read code name; do \
		echo "static const char *const start_$$code[] = {"; \
		sed 's/\\/&&/g; s/"/\\"/g; s/.*/"&\\n",/' $(srcdir)/%D%/$$name/start.*; \
		echo "NULL};"; \
	done >$@.tmp && mv -f $@.tmp $@
