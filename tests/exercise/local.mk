shell_tests += \
	%D%/cage.sh \
	%D%/exercise_cuda.sh \
	%D%/grade.sh
long_tests += \
	%D%/exercise.sh
