# exercises and their judges
libcgsolve_lab_la_SOURCES += \
	%D%/box.c \
	%D%/box.h \
	%D%/check.c \
	%D%/check.h \
	%D%/exercise.h \
	%D%/exercise_command.c \
	%D%/exercise_command.h \
	%D%/exercises.c \
	%D%/exercises.h \
	%D%/judge_answers.c \
	%D%/judge_cg.c \
	%D%/judge_fuse.c \
	%D%/judge_order.c \
	%D%/judge_program.c \
	%D%/judge_products.c \
	%D%/judge_sort.c \
	%D%/judge_vcycle.c \
	%D%/progress.c \
	%D%/progress.h \
	%D%/race.c \
	%D%/race.h \
	%D%/reports.c \
	%D%/reports.h \
	%D%/verdict.c \
	%D%/verdict.h

# cgsolve grade
libcgsolve_lab_la_SOURCES += \
	%D%/copies.c \
	%D%/copies.h \
	%D%/grade.h \
	%D%/grade_archive.c \
	%D%/grade_command.c \
	%D%/grade_command.h \
	%D%/grade_csv.c \
	%D%/grade_folder.c \
	%D%/grade_page.c \
	%D%/grade_roster.c \
	%D%/grade_run.c \
	%D%/grade_scope.c \
	%D%/grade_sums.c \
	%D%/submission.c \
	%D%/submission.h
