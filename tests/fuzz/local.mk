fuzz_tests = \
	%D%/fuzz_expression \
	%D%/fuzz_market \
	%D%/fuzz_options

# Under --enable-fuzzer libFuzzer brings main, and `make fuzz` runs it; else tests/fuzz/fuzz_main.c does.
%C%_fuzz_expression_SOURCES = %D%/fuzz_expression.c %D%/fuzz.h
%C%_fuzz_expression_LDFLAGS = $(AM_LDFLAGS) $(libfuzzer)
%C%_fuzz_expression_LDADD = $(core_libs)
%C%_fuzz_market_SOURCES = %D%/fuzz_market.c %D%/fuzz.h
%C%_fuzz_market_LDFLAGS = $(AM_LDFLAGS) $(libfuzzer)
%C%_fuzz_market_LDADD = $(core_libs)
%C%_fuzz_options_SOURCES = %D%/fuzz_options.c %D%/fuzz.h
%C%_fuzz_options_LDFLAGS = $(AM_LDFLAGS) $(libfuzzer)
%C%_fuzz_options_LDADD = $(program_libs)
EXTRA_DIST += %D%/expressions %D%/seeds
CLEANFILES += fuzz_expression.input fuzz_market.input fuzz_options.input
if FUZZER
libfuzzer = -fsanitize=fuzzer
EXTRA_DIST += %D%/fuzz_main.c
else
%C%_fuzz_expression_SOURCES += %D%/fuzz_main.c
%C%_fuzz_market_SOURCES += %D%/fuzz_main.c
%C%_fuzz_options_SOURCES += %D%/fuzz_main.c
tests_of_bootstrap += $(fuzz_tests)
endif
check_PROGRAMS += $(fuzz_tests)
