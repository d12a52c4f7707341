shell_tests += \
	%D%/cage.sh \
	%D%/exercise_cuda.sh
long_tests += \
	%D%/exercise.sh \
	%D%/grade.sh
