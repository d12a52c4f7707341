checks += \
	%D%/check_battery \
	%D%/check_diagnose \
	%D%/check_doctor \
	%D%/check_doctor_gpu \
	%D%/check_forecast \
	%D%/check_gpus \
	%D%/check_html \
	%D%/check_interrupt \
	%D%/check_lab \
	%D%/check_local \
	%D%/check_multiply \
	%D%/check_orders \
	%D%/check_page \
	%D%/check_part \
	%D%/check_planning \
	%D%/check_plot \
	%D%/check_plot_lab \
	%D%/check_race \
	%D%/check_scaling \
	%D%/check_slice \
	%D%/check_starved \
	%D%/check_study \
	%D%/check_study_runs \
	%D%/check_symmetrise \
	%D%/check_times

noinst_HEADERS += \
	%D%/doctor.h \
	%D%/plot.h \
	%D%/studied.h \
	%D%/study.h

# Kernels that cheat, for the laboratory.
%C%_check_lab_SOURCES = %D%/check_lab.c %D%/fakes.c %D%/fakes.h
