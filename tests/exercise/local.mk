shell_tests += \
	%D%/cage.sh \
	%D%/exercise.sh \
	%D%/exercise_cuda.sh \
	%D%/grade.sh
