checks += \
	%D%/check_amg \
	%D%/check_amg_grids \
	%D%/check_amg_known \
	%D%/check_fdm \
	%D%/check_galerkin \
	%D%/check_multigrid \
	%D%/check_multigrid_plan \
	%D%/check_near_null \
	%D%/check_shared

device_checks += \
	%D%/check_amg \
	%D%/check_amg_grids \
	%D%/check_galerkin \
	%D%/check_multigrid \
	%D%/check_near_null
