shell_tests += \
	%D%/exercise.sh \
	%D%/exercise_cuda.sh \
	%D%/grade.sh
