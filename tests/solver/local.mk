checks += \
	%D%/check_cg \
	%D%/check_cg_composed \
	%D%/check_cg_flexible \
	%D%/check_cg_floor \
	%D%/check_cg_fused \
	%D%/check_cg_long \
	%D%/check_cg_q1 \
	%D%/check_cg_recorded \
	%D%/check_cg_singular \
	%D%/check_cg_variants \
	%D%/check_energy \
	%D%/check_mixed \
	%D%/check_observer \
	%D%/check_pause \
	%D%/check_profile \
	%D%/check_ranks \
	%D%/check_relax \
	%D%/check_reproducible \
	%D%/check_smoother \
	%D%/check_starve

device_checks += \
	%D%/check_cg \
	%D%/check_cg_flexible \
	%D%/check_cg_floor \
	%D%/check_cg_fused \
	%D%/check_cg_long \
	%D%/check_cg_q1 \
	%D%/check_cg_singular \
	%D%/check_energy \
	%D%/check_mixed \
	%D%/check_observer \
	%D%/check_pause \
	%D%/check_peers \
	%D%/check_profile \
	%D%/check_relax \
	%D%/check_reproducible \
	%D%/check_smoother \
	%D%/check_starve

noinst_HEADERS += \
	%D%/composed.h \
	%D%/observed.h

shell_tests += %D%/nullspace.sh
long_tests += %D%/penalties.sh
EXTRA_DIST += %D%/penalties.py
