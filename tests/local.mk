# Tests, run by make check. Rooms mirror those of the sources; cli/ has the program as people and
# scripts meet it, tree/ the documents and the sources themselves, support/ what tests share. A
# room's local.mk lists its tests:
#     checks         x for a Check program x.c
#     device_checks  x for x.c again, with CGS_TEST_CUDA defined, as x_cuda: the same test on the
#                    device; without a device it ends with 77 (skipped)
#     shell_tests    x.sh; what these share is in support/verdicts.bash, support/user_kernels.bash, support/mpirun.bash,
#                    cli/cli.bash, cli/files.bash, cli/ranks.bash
#     test_support   sources of the support library, which is built once for each device
#     long_tests     x.sh that take long
# tests_of_bootstrap, what `./bootstrap check` runs within its time, are all of them but long_tests and
# emulated_tests (emulator/local.mk): `make check` and .ci/run have these, too.
# A fuzz target is a test that needs no Check.
checks =
device_checks =
shell_tests =
long_tests =
test_support =
noinst_HEADERS =
# (The room of the Check program that takes longest comes first: it is not left to run alone.)
include tests/library/local.mk
include tests/base/local.mk
include tests/matrix/local.mk
include tests/fem/local.mk
include tests/kernels/local.mk
include tests/solver/local.mk
include tests/precond/local.mk
include tests/src/local.mk
include tests/python/local.mk
include tests/box/local.mk
include tests/cli/local.mk
include tests/exercise/local.mk
include tests/tree/local.mk
include tests/fuzz/local.mk
include tests/support/local.mk

# Tests that .ci/run runs where all would find no more: those that a build with CUDA changes even without
# a device; those that read files that the tarball must bring; and for `make races` those that run teams of
# threads (plans, texts and processes do not).
tests_of_cuda = \
	$(cuda_checks) \
	%D%/kernels/check_registry \
	%D%/exercise/exercise_cuda.sh \
	$(addprefix %D%/cli/,doctor.sh faults_cuda.sh plugin_cuda.sh spmv.sh)
# Readers of the tarball's files, and the program as one meets it; the long tests read matrices of the tarball.
tests_of_tarball = \
	$(fuzz_tests) \
	$(addprefix %D%/kernels/check_,plugin plugin_faults registry) \
	$(addprefix %D%/matrix/check_,market market_packed) \
	$(addprefix %D%/cli/,cli.sh doctor.sh) \
	$(addprefix %D%/tree/,completion.sh documents.sh library.sh manual.sh peers.sh)
# Tests that .ci/run leaves out under sanitizers, which would find no more there: they read documents, sources
# and pages, or find orders of errors that check_general_errors holds on smaller meshes.
tests_not_sanitized = \
	$(addprefix %D%/tree/,completion.sh documents.sh manual.sh peers.sh readme.sh tree.sh) \
	%D%/fem/check_general_orders
# Long tests that .ci/run has under sanitizers as well, for what no Check program and no shorter script runs: the
# command spgemm, files of other programs, ranks that read files, the library as Python calls it. The others run once,
# by distcheck.
long_tests_sanitized = $(addprefix %D%/cli/,cli_spgemm.sh files_scipy.sh ranks_files.sh) %D%/python/python.sh
# Those of all that take longest there come first, so that none of them is left to run alone.
longest_sanitized = %D%/library/check_library_order $(addprefix %D%/cli/,cli_solve.sh ranks.sh files.sh)
# (The one that takes longest comes first.)
tests_of_threads = \
	%D%/kernels/check_spgemm \
	%D%/base/check_expression \
	$(addprefix %D%/precond/check_,amg multigrid) \
	$(addprefix %D%/matrix/check_,arrivals market market_made matrix padded random sorting\
		symmetry) \
	$(addprefix %D%/solver/check_,cg cg_composed cg_fused cg_recorded energy pause\
		reproducible) \
	$(addprefix %D%/fem/check_,errors fem general general_rows problem) \
	$(addprefix %D%/kernels/check_,grid kernels space sparse spgemm_facts spmv_cpu) \
	$(addprefix %D%/library/check_,library library_caller)

# Tests have -O1 where what they try has -O3: they take half the time to compile, and run no longer.
tests/%.o tests/%.lo: private CFLAGS := $(CFLAGS:-O3=-O1)

# The rules. Check programs link without libtool, whose script takes five times as long as the linker:
# what they take of ours are archives, in .libs. (Private: what a program is made of links as ever.)
LDADD = $(test_libs) $(program_libs) $(CHECK_LIBS)
test_libs = libtests.la
direct_links = $(checks) $(cuda_checks) $(emulated_checks) tests/check_emulator
$(direct_links): private LINK = $(CCLD) $(AM_CFLAGS) $(CFLAGS) $(AM_LDFLAGS) $(LDFLAGS) -o $@
$(direct_links): private program_libs = $(archives) $(outside_libs)
$(direct_links): private test_libs = .libs/libtests.a
archives = $(archived:%.la=.libs/%.a)
archived = libcgsolve_program.la libcgsolve_lab.la libcgsolve_core.la
cuda_check_flags = $(AM_CPPFLAGS) -DCGS_TEST_CUDA -DCHECK_DEVICE=CGS_CUDA
libtests_la_SOURCES = $(test_support)
libtests_cuda_la_SOURCES = $(test_support)
libtests_cuda_la_CPPFLAGS = $(cuda_check_flags)
# (Automake would want three lines for each.)
cuda_checks = $(device_checks:=_cuda)
cuda_check_objects = $(cuda_checks:=.o)
$(cuda_checks): %_cuda: %_cuda.o libtests_cuda.la $(archived)
	$(AM_V_CCLD)$(LINK) $< .libs/libtests_cuda.a $(program_libs) $(CHECK_LIBS)
$(cuda_check_objects): %_cuda.o: %.c config.h
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(cuda_check_flags) $(CPPFLAGS) \
		$(AM_CFLAGS) $(CFLAGS) -MMD -MP -MT $@ -MF $(@:.o=.d) -c -o $@ $<
-include $(cuda_check_objects:.o=.d)
EXTRA_DIST += $(device_checks:=.c)
CLEANFILES += $(cuda_checks)
MOSTLYCLEANFILES += $(cuda_check_objects) $(cuda_check_objects:.o=.d)

check_LTLIBRARIES =
if HAVE_CHECK
check_LTLIBRARIES += libtests.la
check_PROGRAMS += $(checks)
tests_of_bootstrap += $(checks)
if CUDA
check_LTLIBRARIES += libtests_cuda.la
check_DATA += $(cuda_checks)
tests_of_bootstrap += $(cuda_checks)
endif
endif
tests_of_bootstrap += $(shell_tests)
EXTRA_DIST += $(shell_tests) $(long_tests) %D%/exercise/slow %D%/matrices %D%/user_kernels %D%/systems
TEST_EXTENSIONS = .sh

# A test that hangs fails, by its name, instead of stopping all.
LOG_COMPILER = timeout
AM_LOG_FLAGS = -k 10 $(test_seconds)
SH_LOG_COMPILER = timeout
AM_SH_LOG_FLAGS = -k 10 $(test_seconds) bash

# Tests find the sources, the build and the program by these. A test of Check may take
# ten times as long as its own limit, where others have the processors; one that hangs is ended as above. Threads that
# wait do not spin: two tests at a time share the machine. Runs measure for a fiftieth of the time
# (base/testing.h), but some of readme.sh. The address sanitizer keeps the last 16 MB that were freed from being used
# again, not 256: a third of its time went into the fresh pages that the others then need.
AM_TESTS_ENVIRONMENT = \
	CGS_SRCDIR='$(abs_top_srcdir)'; export CGS_SRCDIR; \
	CGSOLVE='$(abs_top_builddir)/cgsolve$(EXEEXT)'; export CGSOLVE; \
	OMP_WAIT_POLICY="$${OMP_WAIT_POLICY-passive}"; export OMP_WAIT_POLICY; \
	CK_TIMEOUT_MULTIPLIER="$${CK_TIMEOUT_MULTIPLIER-10}"; export CK_TIMEOUT_MULTIPLIER; \
	CGSOLVE_TEST="$${CGSOLVE_TEST-part=0.02,battery=0}"; export CGSOLVE_TEST; \
	ASAN_OPTIONS="quarantine_size_mb=16:$$ASAN_OPTIONS"; export ASAN_OPTIONS; \
	$(races_environment)

# The thread sanitizer sees OpenMP through libomp's tool Archer, which libomp loads by itself; what
# libomp does inside is not instrumented and not ours. Threads do not survive Check's forks under
# it, and all is some ten times as slow. HACKING.md, Races.
if THREAD_SANITIZER
test_seconds = 2400
races_environment = \
	CK_FORK=no; export CK_FORK; \
	CK_TIMEOUT_MULTIPLIER=20; export CK_TIMEOUT_MULTIPLIER; \
	TSAN_OPTIONS="ignore_noninstrumented_modules=1 $$TSAN_OPTIONS"; export TSAN_OPTIONS;
else
test_seconds = 900
endif
