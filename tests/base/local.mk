checks += \
	%D%/check_available \
	%D%/check_base \
	%D%/check_contention
