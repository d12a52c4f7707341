checks += \
	%D%/check_arrivals \
	%D%/check_definite \
	%D%/check_market \
	%D%/check_market_made \
	%D%/check_market_numbers \
	%D%/check_market_packed \
	%D%/check_market_parts \
	%D%/check_market_settings \
	%D%/check_market_write \
	%D%/check_matrix \
	%D%/check_padded \
	%D%/check_portion \
	%D%/check_random \
	%D%/check_renumber \
	%D%/check_sellc \
	%D%/check_sorting \
	%D%/check_symmetry

noinst_HEADERS += \
	%D%/market.h \
	%D%/sellc.h
