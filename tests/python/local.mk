long_tests += \
	%D%/python.sh

EXTRA_DIST += \
	%D%/test_cgsolve.py
