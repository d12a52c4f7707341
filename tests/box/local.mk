shell_tests += \
	%D%/box_ranks.sh \
	%D%/user_problem_cuda.sh
long_tests += \
	%D%/box.sh \
	%D%/kronecker.sh \
	%D%/load.sh \
	%D%/materials.sh \
	%D%/periodic.sh \
	%D%/user_problem.sh

EXTRA_DIST += %D%/kronecker.py
