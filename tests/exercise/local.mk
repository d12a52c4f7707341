shell_tests += \
	%D%/grade.sh
