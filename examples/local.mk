# Kernels of one's own: sources for people; as libraries built, not installed, by make check, for
# tests/cli/plugin.sh.
dist_pages_DATA += doc/own-kernel.md
examplesdir = $(docdir)/examples
dist_examples_DATA = %D%/crs_kernel.c %D%/crs_kernel.cu
# Users of libcgsolve: built against what is installed, by make installcheck (tools/installcheck).
dist_examples_DATA += %D%/solve_box.c %D%/solve_crs.c %D%/solve_mpi.c %D%/heat.c %D%/heat.py
dist_pages_DATA += doc/own.md
# Problems as files of options, cgsolve @FILE: doc/options.md and doc/own.md run them.
dist_examples_DATA += %D%/chip.txt %D%/heat-sink.txt %D%/manufactured.txt %D%/octants.txt \
	%D%/periodic-cell.txt %D%/wall.txt %D%/boundary-layer.grid
# An exercise whose judge is a program in its folder: doc/teaching.md.
compensateddir = $(examplesdir)/exercises/compensated
dist_compensated_DATA = $(addprefix %D%/exercises/compensated/,exercise.ini model.c start.c wrong.c)
dist_compensated_SCRIPTS = %D%/exercises/compensated/judge.sh
check_DATA += %D%/crs_kernel.so
CLEANFILES += %D%/crs_kernel.so
%D%/crs_kernel.so: %D%/crs_kernel.c include/cgsolve/kernel.h
	@$(MKDIR_P) $(@D)
	$(AM_V_CCLD)$(CC) -O3 -Wall $(OPENMP_CFLAGS) -shared -fPIC -I$(srcdir)/include -o $@ \
		$(srcdir)/examples/crs_kernel.c

# In CUDA, and the CUDA kernels of the tests: what a device runs that has no compiler beside it.
if CUDA
user_kernels = \
	tests/user_kernels/elsewhere.so \
	tests/user_kernels/fault.so \
	tests/user_kernels/half_device.so \
	tests/user_kernels/hang_device.so \
	tests/user_kernels/input_device.so \
	tests/user_kernels/past_end_device.so
check_DATA += $(user_kernels) tests/user_kernels/example.so
CLEANFILES += $(user_kernels) tests/user_kernels/example.so
CUDA_LIBRARY = $(AM_V_NVCC)$(MKDIR_P) $(@D) && $(NVCC) $(NVCCFLAGS) $(CGS_GENCODE) -shared \
	-Xcompiler -fPIC -I$(srcdir)/include -o $@
tests/user_kernels/example.so: examples/crs_kernel.cu include/cgsolve/kernel.h config.h
	$(CUDA_LIBRARY) $(srcdir)/examples/crs_kernel.cu
tests/user_kernels/%.so: tests/user_kernels/%.cu tests/user_kernels/cheats.cuh include/cgsolve/kernel.h config.h
	$(CUDA_LIBRARY) $<
endif
