shell_tests += \
	%D%/box.sh \
	%D%/box_ranks.sh
