# cgsolve doctor
libcgsolve_program_la_SOURCES += \
	%D%/doctor.c \
	%D%/doctor.h \
	%D%/doctor_build.c \
	%D%/doctor_build.h \
	%D%/doctor_files.c \
	%D%/doctor_files.h \
	%D%/doctor_gpu.c \
	%D%/doctor_gpu.h \
	%D%/doctor_memory.c \
	%D%/doctor_memory.h \
	%D%/doctor_processor.c \
	%D%/doctor_processor.h \
	%D%/finding.c \
	%D%/finding.h
