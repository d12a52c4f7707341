shell_tests += \
	%D%/box_ranks.sh \
	%D%/own_cuda.sh
long_tests += \
	%D%/box.sh \
	%D%/kronecker.sh \
	%D%/load.sh \
	%D%/materials.sh \
	%D%/own.sh \
	%D%/periodic.sh

EXTRA_DIST += %D%/kronecker.py
