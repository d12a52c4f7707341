checks += \
	%D%/check_plugin \
	%D%/check_plugin_faults \
	%D%/check_functional \
	%D%/check_free \
	%D%/check_free_smoothing \
	%D%/check_grid \
	%D%/check_kernels \
	%D%/check_known \
	%D%/check_open \
	%D%/check_order \
	%D%/check_order_cells \
	%D%/check_registry \
	%D%/check_rowless \
	%D%/check_sellc_sums \
	%D%/check_sigma \
	%D%/check_space \
	%D%/check_sparse \
	%D%/check_spgemm \
	%D%/check_spgemm_facts \
	%D%/check_spmv_cpu \
	%D%/check_state \
	%D%/check_tiles \
	%D%/check_transforms \
	%D%/check_tree

device_checks += \
	%D%/check_assemble \
	%D%/check_free \
	%D%/check_free_smoothing \
	%D%/check_grid \
	%D%/check_kernels \
	%D%/check_open \
	%D%/check_order_cells \
	%D%/check_sellc_sums \
	%D%/check_sigma \
	%D%/check_space \
	%D%/check_sparse \
	%D%/check_spgemm \
	%D%/check_spgemm_facts \
	%D%/check_state \
	%D%/check_transforms

noinst_HEADERS += \
	%D%/plugin.h \
	%D%/free.h
