# Kernels: a file is one line in one of these lists. Each .c and .cu is compiled once for each
# precision of its list (kernels/precision.h); .cu files need CUDA, and are shipped without it, too.

# f64, f32 and f64v32: what touches matrix entries. The file that compiles longest is first: make
# comes to one of these libraries last, and then has nothing else to do beside it.
kernels_c_3 = \
	%D%/spmv/sell/sellc_chunk.c \
	%D%/spmv/crs/crs_gather.c \
	%D%/spmv/crs/crs_merge.c \
	%D%/spmv/crs/crs_nodes.c \
	%D%/spmv/crs/crs_row.c \
	%D%/spmv/sell/sell_chunk.c \
	%D%/spmv/sell/sell_gather.c
kernels_cu_3 = \
	%D%/spmv/crs/crs_blocks.cu \
	%D%/spmv/vendor/crs_cusparse.cu \
	%D%/spmv/vendor/crs_cusparse2.cu \
	%D%/spmv/crs/crs_merge.cu \
	%D%/spmv/crs/crs_nodes.cu \
	%D%/spmv/crs/crs_group.cu \
	%D%/spmv/crs/crs_split.cu \
	%D%/spmv/crs/crs_thread.cu \
	%D%/spmv/crs/crs_vec4.cu \
	%D%/spmv/crs/crs_warp.cu \
	%D%/spmv/sell/sell_chunk.cu \
	%D%/spmv/vendor/sell_cusparse.cu \
	%D%/spmv/sell/sell_wide.cu \
	%D%/spmv/sell/sellc_chunk.cu

# A library's kernel, or its name alone.
if LIBRSB
kernels_c_3 += %D%/spmv/vendor/crs_librsb.c
librsb_sources = %D%/spmv/vendor/librsb.c %D%/spmv/vendor/librsb.h
else
kernels_c_3 += %D%/spmv/vendor/crs_librsb_absent.c
librsb_sources =
endif

# The filter of system calls around users' kernels, or its absence.
if SECCOMP
seccomp_sources = %D%/plugin/seccomp.c
else
seccomp_sources = %D%/plugin/seccomp_absent.c
endif

# f64 and f32: what touches vectors alone.
kernels_c_2 = \
	%D%/matrix_free/stencil.c \
	%D%/matrix_free/cells.c \
	%D%/matrix_free/order.c \
	%D%/matrix_free/order_cells.c \
	%D%/grid/grid_cpu.c \
	%D%/sparse/sparse_cpu.c \
	%D%/spgemm/spgemm_bits.c \
	%D%/spgemm/spgemm_rows.c \
	%D%/spgemm/spgemm_smmp.c \
	%D%/vector/space_cpu.c
kernels_cu_2 = \
	%D%/matrix_free/cells.cu \
	%D%/matrix_free/order.cu \
	%D%/matrix_free/order_cells.cu \
	%D%/matrix_free/stencil.cu \
	%D%/fdm/fdm_cuda.cu \
	%D%/grid/grid_cuda.cu \
	%D%/sparse/sparse_cuda.cu \
	%D%/spgemm/spgemm_rows.cu \
	%D%/spgemm/spgemm_cusparse.cu \
	%D%/vector/space_cuda.cu

# Once: what knows no precision; headers.
libcgsolve_core_la_SOURCES += \
	%D%/amg.h \
	%D%/amg/aggregate.cuh \
	%D%/amg/aggregate_cpu.c \
	%D%/amg/aggregate_cpu.h \
	%D%/amg/amg_cpu.c \
	%D%/amg/coarse_cpu.c \
	%D%/amg/coarse_cpu.h \
	%D%/amg/fit_cpu.c \
	%D%/amg/fit_cpu.h \
	%D%/amg/fit_shared.c \
	%D%/amg/fit_shared.h \
	%D%/amg/known.h \
	%D%/amg/known_cpu.c \
	%D%/amg/mend.h \
	%D%/amg/mend_cpu.c \
	%D%/amg/mend_cpu.h \
	%D%/amg/near_rules.h \
	%D%/amg/nodes_cpu.c \
	%D%/amg/nodes_cpu.h \
	%D%/amg/prolong.cuh \
	%D%/amg/prolong_cpu.c \
	%D%/amg/prolong_cpu.h \
	%D%/amg/roots.cuh \
	%D%/amg/rows.cuh \
	%D%/amg/rules.c \
	%D%/amg/rules.h \
	%D%/amg/strong.cuh \
	%D%/amg/strong_cpu.c \
	%D%/amg/strong_cpu.h \
	%D%/arrival.h \
	%D%/backend.h \
	%D%/box.h \
	%D%/cg_energy.h \
	%D%/cg_state.h \
	%D%/device/backend_cpu.c \
	%D%/device/box_points_cuda.cuh \
	%D%/device/box.cuh \
	%D%/vector/convert.c \
	%D%/vector/convert.h \
	%D%/device/pages.c \
	%D%/device/pages.h \
	%D%/device/upload_cuda.cuh \
	%D%/device/memory_cuda.cuh \
	%D%/device/nccl_cuda.cuh \
	%D%/device/peers_cuda.cuh \
	%D%/device/pool_cuda.cuh \
	%D%/device/wait_cuda.cuh \
	%D%/device/nccl_names.h \
	%D%/device/peers.cuh \
	%D%/device/cuda.cuh \
	%D%/device/link_cuda.cuh \
	%D%/device/assemble_cuda.cuh \
	%D%/device/open_cuda.cuh \
	%D%/device/launch.cuh \
	%D%/device/mesh.cuh \
	%D%/device/queue_cpu.h \
	%D%/device/rows_cuda.cuh \
	%D%/device/sum.cuh \
	%D%/plugin/isolated.c \
	%D%/plugin/isolated.h \
	%D%/plugin/compile.c \
	%D%/plugin/compile.h \
	%D%/plugin/contain.c \
	%D%/plugin/contain.h \
	%D%/plugin/containment.h \
	%D%/plugin/direct.c \
	%D%/plugin/direct.h \
	%D%/plugin/plugin.c \
	%D%/plugin/plugin.h \
	%D%/plugin/plugin_table.h \
	%D%/plugin/functional.c \
	%D%/plugin/functional.h \
	%D%/plugin/landlock.c \
	%D%/plugin/landlock.h \
	%D%/plugin/library.c \
	%D%/plugin/library.h \
	%D%/plugin/memory.h \
	%D%/plugin/note.h \
	%D%/plugin/memory_cpu.c \
	%D%/plugin/process.c \
	%D%/plugin/process.h \
	%D%/plugin/products.c \
	%D%/plugin/symbols.c \
	%D%/plugin/symbols.h \
	%D%/plugin/pulse.c \
	%D%/plugin/pulse.h \
	%D%/plugin/seccomp.h \
	%D%/plugin/seccomp_names.h \
	%D%/plugin/wire.h \
	%D%/plugin/worker.c \
	%D%/plugin/worker.h \
	%D%/plugin/products.h \
	%D%/matrix_free/cell_lanes.h \
	%D%/matrix_free/cell_formulas.h \
	%D%/matrix_free/cells.cuh \
	%D%/matrix_free/chunks.h \
	%D%/matrix_free/march.cuh \
	%D%/matrix_free/march_steps.cuh \
	%D%/matrix_free/order.cuh \
	%D%/matrix_free/together.cuh \
	%D%/matrix_free/free.h \
	%D%/matrix_free/order_cells.cuh \
	%D%/matrix_free/order_cells.h \
	%D%/matrix_free/planes.cuh \
	%D%/matrix_free/planes_cpu.h \
	%D%/matrix_free/stencil_lines.h \
	%D%/matrix_free/stencil_tiles.h \
	%D%/fdm.c \
	%D%/fdm.h \
	%D%/fdm/dft.cuh \
	%D%/fdm/fdm_cpu.c \
	%D%/fdm/fft.h \
	%D%/fdm/lines.cuh \
	%D%/fdm/order_lines.cuh \
	%D%/fdm/products.cuh \
	%D%/fdm/tridiagonal.cuh \
	%D%/fdm/turn.c \
	%D%/fdm/turn_cuda.cuh \
	%D%/fdm/turn.h \
	%D%/grid.h \
	%D%/halo.h \
	%D%/rows.h \
	%D%/grid/bands_cpu.h \
	%D%/grid/line.h \
	%D%/grid/orders.cuh \
	%D%/grid/orders.h \
	%D%/grid/prolongation.c \
	%D%/grid/prolongation.h \
	%D%/grid/transfers.cuh \
	%D%/kernel.h \
	%D%/near_null.h \
	%D%/kernels.def \
	%D%/precision.h \
	%D%/queue.h \
	%D%/registry.c \
	%D%/registry.h \
	%D%/space.h \
	%D%/sparse.h \
	%D%/spgemm.def \
	%D%/spgemm.h \
	%D%/spgemm/alike.c \
	%D%/spgemm/alike.h \
	%D%/spgemm/blocks.c \
	%D%/spgemm/blocks.h \
	%D%/spgemm/known.c \
	%D%/spgemm/known.h \
	%D%/spgemm/row_alike.h \
	%D%/spgemm/row_bits.h \
	%D%/spgemm/row_few.h \
	%D%/spgemm/row_parts.h \
	%D%/spgemm/row_list.c \
	%D%/spgemm/row_list.h \
	%D%/spgemm/row_places.h \
	%D%/spgemm/row_stages.h \
	%D%/spgemm/row_sums.h \
	%D%/sparse/columns.c \
	%D%/sparse/columns.h \
	%D%/sparse/ghosts.c \
	%D%/sparse/ghosts.h \
	%D%/sparse/mail.c \
	%D%/sparse/mail.h \
	%D%/sparse/order_cuda.cuh \
	%D%/spgemm/structure.c \
	%D%/spgemm/structure.h \
	%D%/spgemm/spgemm.c \
	%D%/spgemm/spgemm.h \
	%D%/spgemm/spgemm_classes.cuh \
	%D%/spgemm/spgemm_few.cuh \
	%D%/spgemm/spgemm_hash.cuh \
	%D%/spgemm/spgemm_launch.cuh \
	%D%/spgemm/spgemm_order.cuh \
	%D%/spgemm/spgemm_factors.cuh \
	%D%/spgemm/spgemm_sorted.cuh \
	%D%/spgemm/spgemm_sorted_launch.cuh \
	%D%/spgemm/spgemm_sorted_room.cuh \
	%D%/spgemm/spgemm_table.c \
	%D%/spgemm/spgemm_table.h \
	%D%/spgemm/spgemm_windows.cuh \
	%D%/spgemm/survey.cuh \
	%D%/spmv/crs/ahead.cuh \
	%D%/spmv/crs/batch_ones.cuh \
	%D%/spmv/cached.cuh \
	%D%/spmv/crs/crs_cuda.cuh \
	%D%/spmv/crs/crs_merge.cuh \
	%D%/spmv/crs/crs_tiles.c \
	%D%/spmv/crs/crs_tiles.h \
	%D%/spmv/crs/crs_split.cuh \
	%D%/spmv/vendor/cusparse.cuh \
	%D%/spmv/vendor/cusparse_names.h \
	%D%/spmv/vendor/cusparse_number.cuh \
	%D%/spmv/vendor/cusparse_spmv.cuh \
	%D%/spmv/crs/merge_path.c \
	%D%/spmv/crs/merge_path.h \
	%D%/spmv/crs/padded.cuh \
	%D%/spmv/sell/sell_cuda.cuh \
	%D%/spmv/sell/sell_order.cuh \
	%D%/spmv/crs/split.h \
	%D%/spmv/crs/split_rows.cuh \
	%D%/spmv/crs/crs_gather_rows.h \
	%D%/spmv/crs/crs_rows.h \
	%D%/spmv/gather.h \
	%D%/spmv/gather_avx2.h \
	%D%/spmv/gather_avx512.h \
	%D%/spmv/gather_table.h \
	%D%/spmv/vendor/librsb_names.h \
	%D%/spmv/sell/sell_chunks.h \
	%D%/spmv/sell/sell_gather_chunks.h \
	%D%/spmv/sell/sellc_chunks.h \
	%D%/spmv/sell/sellc_cuda.cuh \
	%D%/spmv/sell/sellc_part.h \
	%D%/spmv/sell/sellc_slots.cuh \
	%D%/spmv/sell/sellc_usual.cuh \
	%D%/spmv/sell/sellc_traffic.h \
	%D%/spmv/crs/group.cuh \
	%D%/spmv/spmv_cpu.h \
	%D%/spmv/spmv_cuda.cuh \
	%D%/spmv/crs/stream.cuh \
	%D%/spmv/crs/tasks.c \
	%D%/spmv/crs/tasks.h \
	%D%/spmv/crs/tiled.cuh \
	%D%/vector/blocks.h \
	%D%/vector/fixed_sums.cuh \
	%D%/vector/iteration_end.cuh \
	%D%/vector/loops_cpu.h \
	%D%/vector/relax_cpu.h \
	%D%/vector/state_cpu.c \
	%D%/vector/state_cpu.h \
	%D%/vector/steps.cuh \
	%D%/vector/sum_cpu.h \
	%D%/vector/tree.c \
	%D%/vector/tree.h \
	%D%/vector/vector_steps.cuh \
	%D%/vector/late_steps.cuh \
	%D%/vector/ranks_cuda.cuh \
	%D%/vector/state_cuda.cuh \
	%D%/vector/vectors_cuda.cuh \
	%D%/vector/weigh.cuh \
	%D%/vectorise.h \
	$(librsb_sources) \
	$(seccomp_sources)
kernels_cu_1 = \
	%D%/amg/amg_cuda.cu \
	%D%/amg/near_cuda.cu \
	%D%/device/assemble_cuda.cu \
	%D%/device/backend_cuda.cu \
	%D%/device/box_cuda.cu \
	%D%/device/box_points_cuda.cu \
	%D%/device/cuda.cu \
	%D%/device/link_cuda.cu \
	%D%/device/memory_cuda.cu \
	%D%/device/nccl_cuda.cu \
	%D%/device/open_cuda.cu \
	%D%/device/peers_cuda.cu \
	%D%/device/pool_cuda.cu \
	%D%/device/rows_cuda.cu \
	%D%/device/upload_cuda.cu \
	%D%/device/wait_cuda.cu \
	%D%/fdm/turn_cuda.cu \
	%D%/plugin/memory_cuda.cu \
	%D%/sparse/order_cuda.cu \
	%D%/spmv/vendor/cusparse.cu \
	%D%/vector/halo_cuda.cu \
	%D%/vector/ranks_cuda.cu \
	%D%/vector/state_cuda.cu \
	%D%/vector/vectors_cuda.cu

# The rules.
noinst_LTLIBRARIES += libkernels_f64.la libkernels_f32.la libkernels_f64v32.la
libkernels_f64_la_SOURCES = $(kernels_c_3) $(kernels_c_2)
libkernels_f64_la_CPPFLAGS = $(AM_CPPFLAGS) -DCGS_PRECISION=f64
libkernels_f32_la_SOURCES = $(kernels_c_3) $(kernels_c_2)
libkernels_f32_la_CPPFLAGS = $(AM_CPPFLAGS) -DCGS_PRECISION=f32
libkernels_f64v32_la_SOURCES = $(kernels_c_3)
libkernels_f64v32_la_CPPFLAGS = $(AM_CPPFLAGS) -DCGS_PRECISION=f64v32
libcgsolve_core_la_LIBADD += libkernels_f64.la libkernels_f32.la libkernels_f64v32.la

EXTRA_DIST += $(kernels_cu_1) $(kernels_cu_2) $(kernels_cu_3)
cuda_kernels = \
	$(kernels_cu_1:.cu=.cuda.lo) \
	$(kernels_cu_2:.cu=.cuda.f64.lo) \
	$(kernels_cu_2:.cu=.cuda.f32.lo) \
	$(kernels_cu_3:.cu=.cuda.f64.lo) \
	$(kernels_cu_3:.cu=.cuda.f32.lo) \
	$(kernels_cu_3:.cu=.cuda.f64v32.lo)
cuda_objects = $(cuda_kernels)
if CUDA
libcgsolve_core_la_LIBADD += $(cuda_kernels)
endif

# The headers that users' kernels are compiled with, as the program carries them: a string a line.
CLEANFILES += %D%/plugin/kernel.inc %D%/plugin/exercise.inc
%D%/plugin/compile.lo: %D%/plugin/kernel.inc %D%/plugin/exercise.inc
%D%/plugin/%.inc: include/cgsolve/%.h
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)sed 's/\\/&&/g; s/"/\\"/g; s/.*/"&\\n",/' $< >$@.tmp && mv -f $@.tmp $@
