# exercises and their judges
libcgsolve_lab_la_SOURCES += \
	%D%/box.c \
	%D%/box.h \
	%D%/exercise.h \
	%D%/exercise_command.c \
	%D%/exercise_command.h \
	%D%/exercises.c \
	%D%/exercises.h \
	%D%/judge_answers.c \
	%D%/judge_answers.h \
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
	%D%/grade/copies.c \
	%D%/grade/copies.h \
	%D%/grade/grade.h \
	%D%/grade/grade_archive.c \
	%D%/grade/grade_archive.h \
	%D%/grade/grade_command.c \
	%D%/grade/grade_command.h \
	%D%/grade/grade_csv.c \
	%D%/grade/grade_csv.h \
	%D%/grade/grade_folder.c \
	%D%/grade/grade_folder.h \
	%D%/grade/grade_page.c \
	%D%/grade/grade_page.h \
	%D%/grade/grade_run.c \
	%D%/grade/grade_run.h \
	%D%/grade/grade_scope.c \
	%D%/grade/grade_scope.h \
	%D%/grade/grade_sums.c \
	%D%/grade/grade_sums.h \
	%D%/grade/submission.c \
	%D%/grade/submission.h
