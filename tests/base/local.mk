checks += \
	%D%/check_available \
	%D%/check_base \
	%D%/check_child \
	%D%/check_comm \
	%D%/check_contention \
	%D%/check_expression
