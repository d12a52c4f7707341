shell_tests += \
	%D%/box_ranks.sh
long_tests += \
	%D%/box.sh \
	%D%/load.sh \
	%D%/materials.sh \
	%D%/own.sh \
	%D%/periodic.sh
