checks += \
	%D%/check_library \
	%D%/check_library_arrays \
	%D%/check_library_caller \
	%D%/check_library_errors \
	%D%/check_library_matrices \
	%D%/check_library_misuse \
	%D%/check_library_near_null \
	%D%/check_library_operator \
	%D%/check_library_order \
	%D%/check_library_random \
	%D%/check_library_ranks \
	%D%/check_library_report

noinst_HEADERS += \
	%D%/elastic.h \
	%D%/library.h

device_checks += \
	%D%/check_library_device \
	%D%/check_library_near_null

long_tests += \
	%D%/library_mpi.sh

EXTRA_DIST += %D%/client_mpi.c
