checks += \
	%D%/check_box \
	%D%/check_element \
	%D%/check_errors \
	%D%/check_extremes \
	%D%/check_fem \
	%D%/check_fem_sizes \
	%D%/check_general \
	%D%/check_general_errors \
	%D%/check_general_orders \
	%D%/check_general_rows \
	%D%/check_lobatto \
	%D%/check_probe \
	%D%/check_problem \
	%D%/check_slab \
	%D%/check_user_problem

noinst_HEADERS += \
	%D%/exact.h \
	%D%/general.h \
	%D%/textbook.h
