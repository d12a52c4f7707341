shell_tests += \
	%D%/cli.sh \
	%D%/cli_amg.sh \
	%D%/cli_fmg.sh \
	%D%/cli_memory.sh \
	%D%/cli_multigrid.sh \
	%D%/cli_page.sh \
	%D%/cli_pictures.sh \
	%D%/cli_report.sh \
	%D%/cli_solve.sh \
	%D%/cli_study.sh \
	%D%/collection.sh \
	%D%/compare.sh \
	%D%/contain.sh \
	%D%/doctor.sh \
	%D%/faults.sh \
	%D%/faults_cuda.sh \
	%D%/fields.sh \
	%D%/files.sh \
	%D%/plugin_cuda.sh \
	%D%/rows.sh \
	%D%/option_file.sh \
	%D%/outputs.sh \
	%D%/ranks.sh \
	%D%/ranks_cuda.sh \
	%D%/ranks_faults.sh \
	%D%/ranks_local.sh \
	%D%/ranks_plan.sh \
	%D%/spmv.sh \
	%D%/suggest.sh \
	%D%/terminal.sh \
	%D%/why.sh

long_tests += \
	%D%/spgemm_scipy.sh \
	%D%/cli_spgemm.sh \
	%D%/files_scipy.sh \
	%D%/plugin.sh \
	%D%/plugin_right.sh \
	%D%/ranks_files.sh \
	%D%/ranks_outputs.sh \
	%D%/starved.sh

EXTRA_DIST += %D%/body.bash %D%/cli.bash %D%/refused.rows %D%/fields.py %D%/files.bash %D%/ranks.bash %D%/ranks_verdicts.bash %D%/starve.c
