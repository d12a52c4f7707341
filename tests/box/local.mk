shell_tests += \
	%D%/box.sh \
	%D%/box_ranks.sh \
	%D%/materials.sh \
	%D%/own.sh
