# CUDA kernels in `make check` without a GPU: x.cu becomes x.emulated.f64.o, compiled by the C++ compiler
# against tests/emulator/cuda_runtime.h, and check_y_emulated is check_y_cuda linked with these, for every
# test in device_checks; cgsolve_emulated is the program, for user_problem_emulated.sh and ranks_emulated.sh. The objects come first, so that nothing of the library that
# they replace is taken.
EXTRA_DIST += \
	%D%/check_emulator.cpp \
	%D%/cub/device/device_radix_sort.cuh \
	%D%/cub/device/device_scan.cuh \
	%D%/cuda_runtime.h \
	%D%/cusparse.h \
	%D%/emulated.bash \
	%D%/emulator.cpp \
	%D%/nv/target \
	%D%/ranks_emulated.sh \
	%D%/user_problem_emulated.sh \
	%D%/vendor.c

# Not emulated: cuSPARSE's kernels (vendor.c refuses instead), and graphs that repeat themselves
# (cudaGraphAddKernelNode has no types), whose kernels other launches run.
tests_check_emulator_SOURCES =
tests_check_emulator_LDADD = %D%/check_emulator.o %D%/emulator.o $(CHECK_LIBS) -lstdc++

# The rules.
emulated_flags = $(AM_CPPFLAGS) -DCGS_TEST_CUDA -DCGS_TEST_EMULATED -DCHECK_DEVICE=CGS_CUDA
emulated_libs = $(emulated_objects) .libs/libtests_emulated.a $(archives) \
	$(JANSSON_LIBS) $(LIBARCHIVE_LIBS) $(ZLIB_LIBS) $(CHOLMOD_LIBS) $(LAPACK_LIBS) $(CHECK_LIBS) -lstdc++
libtests_emulated_la_SOURCES = $(test_support)
libtests_emulated_la_CPPFLAGS = $(emulated_flags)
# Built where TESTS asks for them.
EXTRA_LTLIBRARIES = libtests_emulated.la
EXTRA_PROGRAMS += tests/check_emulator
# The scripts take longest, and come first.
emulated_scripts = %D%/ranks_emulated.sh %D%/user_problem_emulated.sh
CLEANFILES += libtests_emulated.la
if EMULATOR
emulated_tests = $(emulated_scripts) tests/check_emulator $(emulated_checks)
endif

emulated_1 = $(filter-out %/spmv/vendor/cusparse.cu,$(kernels_cu_1))
emulated_2 = $(filter-out %/spgemm_cusparse.cu,$(kernels_cu_2))
emulated_3 = $(filter-out %/crs_cusparse.cu %/crs_cusparse2.cu %/sell_cusparse.cu,$(kernels_cu_3))
emulated_objects = \
	%D%/emulator.o \
	%D%/json.o \
	%D%/vendor.emulated.f64.o \
	%D%/vendor.emulated.f32.o \
	%D%/vendor.emulated.f64v32.o \
	kernels/registry.emulated.o \
	kernels/spgemm/spgemm_table.emulated.o \
	$(emulated_1:.cu=.emulated.o) \
	$(emulated_2:.cu=.emulated.f64.o) \
	$(emulated_2:.cu=.emulated.f32.o) \
	$(emulated_3:.cu=.emulated.f64.o) \
	$(emulated_3:.cu=.emulated.f32.o) \
	$(emulated_3:.cu=.emulated.f64v32.o)
CLEANFILES += $(emulated_checks) %D%/cgsolve_emulated
MOSTLYCLEANFILES += $(emulated_check_objects) $(emulated_check_objects:.o=.d) $(emulated_objects) $(emulated_objects:.o=.d) %D%/check_emulator.o %D%/check_emulator.d

EMULATE_FLAGS = $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(CPPFLAGS) $(OPENMP_CFLAGS) -O1 \
	-MMD -MP -MT $@ -MF $(@:.o=.d) -c -o $@
EMULATE = $(AM_V_CXX_emulated)$(MKDIR_P) $(@D) && $(EMULATOR_CXX) -std=gnu++20 -I$(srcdir)/%D% $(EMULATE_FLAGS)
EMULATE_CU = $(EMULATE) -w -include cuda_runtime.h -x c++
EMULATE_C = $(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(CGS_STD) $(CGS_WARNINGS) $(EMULATE_FLAGS)
AM_V_CXX_emulated = $(am__v_CXX_emulated_@AM_V@)
am__v_CXX_emulated_ = $(am__v_CXX_emulated_@AM_DEFAULT_V@)
am__v_CXX_emulated_0 = @echo "  EMULATE " $@;
am__v_CXX_emulated_1 =

emulated_checks = $(device_checks:=_emulated)
emulated_check_objects = $(emulated_checks:=.o)
$(emulated_checks): %_emulated: %_emulated.o $(emulated_objects) libtests_emulated.la $(archived)
	$(AM_V_CCLD)$(LINK) $< $(emulated_libs) $(LIBS)
$(emulated_check_objects): %_emulated.o: %.c config.h
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(DEFS) $(DEFAULT_INCLUDES) $(emulated_flags) $(CPPFLAGS) \
		$(AM_CFLAGS) $(CFLAGS) -MMD -MP -MT $@ -MF $(@:.o=.d) -c -o $@ $<
$(emulated_scripts:.sh=.log): %D%/cgsolve_emulated
%D%/cgsolve_emulated: src/main.o $(emulated_objects) libcgsolve_ranks.la $(archived)
	$(AM_V_CCLD)$(LINK) src/main.o $(emulated_objects) .libs/libcgsolve_program.a .libs/libcgsolve_lab.a \
		.libs/libcgsolve_ranks.a .libs/libcgsolve_core.a $(MPI_LIBS) \
		$(JANSSON_LIBS) $(LIBARCHIVE_LIBS) $(ZLIB_LIBS) $(CHOLMOD_LIBS) $(LAPACK_LIBS) -lstdc++ $(LIBS)
# Its own, since the emulator takes all thread-local storage of a program for shared memory.
%D%/json.o: core/io/json.c config.h
	$(EMULATE_C) -D_Thread_local= $<
%D%/emulator.o: %D%/emulator.cpp config.h
	$(EMULATE) -O2 -Wall -Wextra $<
%D%/check_emulator.o: %D%/check_emulator.cpp config.h
	$(EMULATE) -Wall -Wextra $<
%.emulated.o: %.cu config.h
	$(EMULATE_CU) $<
%.emulated.f64.o: %.cu config.h
	$(EMULATE_CU) -DCGS_PRECISION=f64 $<
%.emulated.f32.o: %.cu config.h
	$(EMULATE_CU) -DCGS_PRECISION=f32 $<
%.emulated.f64v32.o: %.cu config.h
	$(EMULATE_CU) -DCGS_PRECISION=f64v32 $<
kernels/registry.emulated.o kernels/spgemm/spgemm_table.emulated.o: %.emulated.o: %.c config.h
	$(EMULATE_C) -DHAVE_CUDA=1 $<
%.emulated.f64.o: %.c config.h
	$(EMULATE_C) -DCGS_PRECISION=f64 $<
%.emulated.f32.o: %.c config.h
	$(EMULATE_C) -DCGS_PRECISION=f32 $<
%.emulated.f64v32.o: %.c config.h
	$(EMULATE_C) -DCGS_PRECISION=f64v32 $<
-include $(emulated_check_objects:.o=.d) $(emulated_objects:.o=.d) %D%/check_emulator.d
