long_tests += \
	%D%/python.sh

EXTRA_DIST += \
	%D%/test_cgsolve.py \
	%D%/user_problem_doors.py
