# Tests, run by make check.
#
# A Check program is one line in `checks`: tests/x.c makes tests/x. Where the same source tests the
# device, too, it is a line in `device_checks`: x_cuda is built from it with CGS_TEST_CUDA defined;
# without a device it ends with 77 (skipped). A shell test is a line in `shell_tests`;
# what these share is in verdicts.bash, cli.bash (cli*.sh) and files.bash.
# What tests share goes into the support libraries, once for each device. A fuzz target is a test
# that needs no Check.
checks = \
	%D%/precond/check_amg \
	%D%/precond/check_amg_grids \
	%D%/matrix/check_arrivals \
	%D%/base/check_available \
	%D%/base/check_base \
	%D%/src/check_bound \
	%D%/fem/check_box \
	%D%/solver/check_cg \
	%D%/solver/check_cg_composed \
	%D%/solver/check_cg_flexible \
	%D%/solver/check_cg_floor \
	%D%/solver/check_cg_long \
	%D%/solver/check_cg_fused \
	%D%/solver/check_cg_q1 \
	%D%/solver/check_cg_recorded \
	%D%/solver/check_cg_singular \
	%D%/src/check_doctor \
	%D%/src/check_doctor_gpu \
	%D%/fem/check_element \
	%D%/solver/check_energy \
	%D%/fem/check_errors \
	%D%/fem/check_fem \
	%D%/fem/check_fem_sizes \
	%D%/precond/check_galerkin \
	%D%/fem/check_general \
	%D%/fem/check_general_errors \
	%D%/fem/check_general_orders \
	%D%/fem/check_general_rows \
	%D%/src/check_forecast \
	%D%/kernels/check_free \
	%D%/kernels/check_free_smoothing \
	%D%/kernels/check_foreign \
	%D%/kernels/check_foreign_faults \
	%D%/kernels/check_grid \
	%D%/src/check_html \
	%D%/src/check_interrupt \
	%D%/kernels/check_kernels \
	%D%/src/check_lab \
	%D%/library/check_library \
	%D%/library/check_library_caller \
	%D%/library/check_library_errors \
	%D%/library/check_library_matrices \
	%D%/library/check_library_misuse \
	%D%/library/check_library_report \
	%D%/matrix/check_market \
	%D%/matrix/check_market_made \
	%D%/matrix/check_market_numbers \
	%D%/matrix/check_market_packed \
	%D%/matrix/check_market_settings \
	%D%/matrix/check_market_write \
	%D%/matrix/check_matrix \
	%D%/solver/check_mixed \
	%D%/precond/check_multigrid \
	%D%/precond/check_multigrid_plan \
	%D%/src/check_multiply \
	%D%/solver/check_observer \
	%D%/src/check_orders \
	%D%/matrix/check_padded \
	%D%/src/check_page \
	%D%/solver/check_pause \
	%D%/src/check_plot \
	%D%/src/check_plot_lab \
	%D%/fem/check_problem \
	%D%/matrix/check_random \
	%D%/solver/check_profile \
	%D%/kernels/check_registry \
	%D%/solver/check_relax \
	%D%/matrix/check_sellc \
	%D%/kernels/check_sellc_sums \
	%D%/kernels/check_sigma \
	%D%/src/check_slice \
	%D%/solver/check_smoother \
	%D%/matrix/check_sorting \
	%D%/solver/check_reproducible \
	%D%/kernels/check_rowless \
	%D%/kernels/check_space \
	%D%/kernels/check_sparse \
	%D%/kernels/check_spgemm \
	%D%/kernels/check_spgemm_facts \
	%D%/kernels/check_spmv_cpu \
	%D%/solver/check_starve \
	%D%/src/check_starved \
	%D%/kernels/check_state \
	%D%/src/check_study \
	%D%/src/check_study_runs \
	%D%/matrix/check_symmetry \
	%D%/kernels/check_tiles

# Reads files with HDF5 itself.
if HDF5
checks += %D%/src/check_vtkhdf
%C%_src_check_vtkhdf_CPPFLAGS = $(AM_CPPFLAGS) $(HDF5_CFLAGS)
endif
EXTRA_DIST += %D%/src/check_vtkhdf.c

device_checks = \
	%D%/precond/check_amg \
	%D%/precond/check_amg_grids \
	%D%/kernels/check_assemble \
	%D%/solver/check_cg \
	%D%/solver/check_cg_flexible \
	%D%/solver/check_cg_floor \
	%D%/solver/check_cg_fused \
	%D%/solver/check_cg_long \
	%D%/solver/check_cg_q1 \
	%D%/solver/check_cg_singular \
	%D%/solver/check_energy \
	%D%/kernels/check_free \
	%D%/kernels/check_free_smoothing \
	%D%/precond/check_galerkin \
	%D%/kernels/check_grid \
	%D%/kernels/check_kernels \
	%D%/solver/check_mixed \
	%D%/precond/check_multigrid \
	%D%/solver/check_observer \
	%D%/solver/check_pause \
	%D%/solver/check_profile \
	%D%/solver/check_relax \
	%D%/solver/check_reproducible \
	%D%/kernels/check_sellc_sums \
	%D%/kernels/check_sigma \
	%D%/solver/check_smoother \
	%D%/kernels/check_space \
	%D%/kernels/check_sparse \
	%D%/kernels/check_spgemm \
	%D%/kernels/check_spgemm_facts \
	%D%/solver/check_starve \
	%D%/kernels/check_state

fuzz_tests = \
	%D%/fuzz/fuzz_market \
	%D%/fuzz/fuzz_options

shell_tests = \
	%D%/cli/cli.sh \
	%D%/cli/cli_amg.sh \
	%D%/cli/cli_fmg.sh \
	%D%/cli/cli_memory.sh \
	%D%/cli/cli_multigrid.sh \
	%D%/cli/cli_pictures.sh \
	%D%/cli/cli_page.sh \
	%D%/cli/cli_report.sh \
	%D%/cli/cli_solve.sh \
	%D%/cli/cli_spgemm.sh \
	%D%/cli/cli_study.sh \
	%D%/cli/compare.sh \
	%D%/cli/doctor.sh \
	%D%/tree/documents.sh \
	%D%/cli/faults.sh \
	%D%/cli/faults_cuda.sh \
	%D%/cli/files.sh \
	%D%/cli/files_scipy.sh \
	%D%/cli/foreign.sh \
	%D%/cli/foreign_cuda.sh \
	%D%/tree/manual.sh \
	%D%/tree/library.sh \
	%D%/cli/outputs.sh \
	%D%/tree/peers.sh \
	%D%/tree/readme.sh \
	%D%/cli/spgemm_scipy.sh \
	%D%/cli/spmv.sh \
	%D%/cli/starved.sh \
	%D%/cli/suggest.sh \
	%D%/cli/terminal.sh \
	%D%/tree/tree.sh

# What runs nothing of base/, fem/, matrix/ and solver/ that other tests don't (or is slow without
# optimisation): CI's coverage leaves it out.
tests_of_program = \
	%D%/src/check_doctor \
	%D%/src/check_doctor_gpu \
	%D%/src/check_forecast \
	%D%/kernels/check_foreign \
	%D%/kernels/check_foreign_faults \
	%D%/kernels/check_free \
	%D%/kernels/check_free_smoothing \
	%D%/fem/check_general_errors \
	%D%/fem/check_general_orders \
	%D%/src/check_html \
	%D%/src/check_orders \
	%D%/src/check_page \
	%D%/src/check_plot \
	%D%/src/check_plot_lab \
	%D%/solver/check_reproducible \
	%D%/kernels/check_sigma \
	%D%/src/check_slice \
	%D%/src/check_study \
	%D%/src/check_study_runs \
	%D%/src/check_vtkhdf

# What .ci/run runs where all tests would find no more: what a build with CUDA changes even without
# a device; what reads files that the tarball must bring; and for `make races` who runs teams of
# threads (plans, texts and processes do not).
tests_of_cuda = \
	$(cuda_checks) \
	%D%/kernels/check_registry \
	%D%/cli/doctor.sh \
	%D%/cli/faults_cuda.sh \
	%D%/cli/foreign_cuda.sh \
	%D%/cli/spmv.sh
# What of the tarball's files tests read, and the program as one meets it.
tests_of_tarball = \
	$(fuzz_tests) \
	%D%/kernels/check_foreign \
	%D%/kernels/check_foreign_faults \
	%D%/matrix/check_market \
	%D%/matrix/check_market_packed \
	%D%/kernels/check_registry \
	%D%/src/check_starved \
	%D%/cli/cli.sh \
	%D%/cli/cli_amg.sh \
	%D%/cli/cli_multigrid.sh \
	%D%/cli/cli_spgemm.sh \
	%D%/cli/doctor.sh \
	%D%/tree/documents.sh \
	%D%/cli/files.sh \
	%D%/cli/foreign.sh \
	%D%/tree/library.sh \
	%D%/tree/manual.sh \
	%D%/tree/peers.sh \
	%D%/tree/readme.sh
tests_of_threads = \
	%D%/precond/check_amg \
	%D%/matrix/check_arrivals \
	%D%/solver/check_cg \
	%D%/solver/check_cg_composed \
	%D%/solver/check_cg_fused \
	%D%/solver/check_cg_recorded \
	%D%/solver/check_energy \
	%D%/fem/check_errors \
	%D%/fem/check_fem \
	%D%/fem/check_general \
	%D%/fem/check_general_rows \
	%D%/kernels/check_grid \
	%D%/kernels/check_kernels \
	%D%/library/check_library \
	%D%/library/check_library_caller \
	%D%/matrix/check_market \
	%D%/matrix/check_market_made \
	%D%/matrix/check_matrix \
	%D%/precond/check_multigrid \
	%D%/matrix/check_padded \
	%D%/solver/check_pause \
	%D%/fem/check_problem \
	%D%/matrix/check_random \
	%D%/solver/check_reproducible \
	%D%/matrix/check_sorting \
	%D%/kernels/check_space \
	%D%/kernels/check_sparse \
	%D%/kernels/check_spgemm \
	%D%/kernels/check_spgemm_facts \
	%D%/kernels/check_spmv_cpu \
	%D%/matrix/check_symmetry

test_support = \
	%D%/support/amg.c \
	%D%/support/amg.h \
	%D%/support/asked.c \
	%D%/support/asked.h \
	%D%/solver/composed.h \
	%D%/support/cycle.c \
	%D%/support/cycle.h \
	%D%/src/doctor.h \
	%D%/fem/exact.h \
	%D%/kernels/foreign.h \
	%D%/kernels/free.h \
	%D%/fem/general.h \
	%D%/support/layout.c \
	%D%/support/layout.h \
	%D%/library/library.h \
	%D%/matrix/market.h \
	%D%/solver/observed.h \
	%D%/support/plain.c \
	%D%/src/plot.h \
	%D%/support/products.c \
	%D%/support/limits.h \
	%D%/support/products.h \
	%D%/support/rig.c \
	%D%/support/rig.h \
	%D%/support/rows.h \
	%D%/matrix/sellc.h \
	%D%/support/smmp.h \
	%D%/support/solve.c \
	%D%/support/solve.h \
	%D%/support/sparse.c \
	%D%/support/sparse.h \
	%D%/src/studied.h \
	%D%/src/study.h \
	%D%/support/support.c \
	%D%/support/support.h \
	%D%/fem/textbook.h

# Kernels that cheat, for the laboratory.
%C%_src_check_lab_SOURCES = %D%/src/check_lab.c %D%/src/fakes.c %D%/src/fakes.h

# Under --enable-fuzzer libFuzzer brings main, and `make fuzz` runs it; else tests/fuzz/fuzz_main.c does.
%C%_fuzz_fuzz_market_SOURCES = %D%/fuzz/fuzz_market.c %D%/fuzz/fuzz.h
%C%_fuzz_fuzz_market_LDADD = $(core_libs)
%C%_fuzz_fuzz_options_SOURCES = %D%/fuzz/fuzz_options.c %D%/fuzz/fuzz.h
%C%_fuzz_fuzz_options_LDADD = $(core_libs)
EXTRA_DIST += %D%/fuzz/seeds
CLEANFILES += fuzz_market.input fuzz_options.input
if FUZZER
%C%_fuzz_fuzz_market_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
%C%_fuzz_fuzz_options_LDFLAGS = $(AM_LDFLAGS) -fsanitize=fuzzer
EXTRA_DIST += %D%/fuzz/fuzz_main.c
else
%C%_fuzz_fuzz_market_SOURCES += %D%/fuzz/fuzz_main.c
%C%_fuzz_fuzz_options_SOURCES += %D%/fuzz/fuzz_main.c
TESTS += $(fuzz_tests)
endif
check_PROGRAMS += $(fuzz_tests)

# The rules.
LDADD = libtests.la $(core_libs) $(CHECK_LIBS)
cuda_check_flags = $(AM_CPPFLAGS) -DCGS_TEST_CUDA -DCHECK_DEVICE=CGS_CUDA
libtests_la_SOURCES = $(test_support)
libtests_cuda_la_SOURCES = $(test_support)
libtests_cuda_la_CPPFLAGS = $(cuda_check_flags)
# (Automake would want three lines for each.)
cuda_checks = $(device_checks:=_cuda)
cuda_check_objects = $(cuda_checks:=.o)
$(cuda_checks): %_cuda: %_cuda.o libtests_cuda.la libcgsolve_core.la libcgsolve_hdf5.la
	$(AM_V_CCLD)$(LINK) $< libtests_cuda.la $(core_libs) $(CHECK_LIBS)
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
TESTS += $(checks)
if CUDA
check_LTLIBRARIES += libtests_cuda.la
check_DATA += $(cuda_checks)
TESTS += $(cuda_checks)
endif
endif
TESTS += $(shell_tests)
EXTRA_DIST += $(shell_tests) %D%/cli/cli.bash %D%/cli/files.bash %D%/support/verdicts.bash %D%/matrices %D%/own %D%/cli/starve.c %D%/systems
TEST_EXTENSIONS = .sh

# A test that hangs fails, by its name, instead of stopping all.
LOG_COMPILER = timeout
AM_LOG_FLAGS = -k 10 $(test_seconds)
SH_LOG_COMPILER = timeout
AM_SH_LOG_FLAGS = -k 10 $(test_seconds) bash

# Tests find the sources, the build and the program by these. Threads that wait do not spin: two
# tests at a time share the machine. Runs measure for a fiftieth of the time (src/setup/measure.h), but
# those of readme.sh. The address sanitizer keeps the last 16 MB that were freed from being used
# again, not 256: a third of its time went into the fresh pages that the others then need.
AM_TESTS_ENVIRONMENT = \
	CGS_SRCDIR='$(abs_top_srcdir)'; export CGS_SRCDIR; \
	CGS_BUILDDIR='$(abs_top_builddir)'; export CGS_BUILDDIR; \
	CGSOLVE='$(abs_top_builddir)/cgsolve$(EXEEXT)'; export CGSOLVE; \
	OMP_WAIT_POLICY="$${OMP_WAIT_POLICY-passive}"; export OMP_WAIT_POLICY; \
	CGSOLVE_MEASURE_PART="$${CGSOLVE_MEASURE_PART-0.02}"; export CGSOLVE_MEASURE_PART; \
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
