long_tests += \
	%D%/python.sh

EXTRA_DIST += \
	%D%/own_doors.py \
	%D%/test_cgsolve.py
