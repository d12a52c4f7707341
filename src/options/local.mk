# Options: tables, parser, values, help.
libcgsolve_core_la_SOURCES += \
	%D%/absent.def \
	%D%/arguments.c \
	%D%/arguments.h \
	%D%/call.h \
	%D%/choices.def \
	%D%/choices.h \
	%D%/commands.def \
	%D%/environment.def \
	%D%/examples.def \
	%D%/expect.c \
	%D%/expect.h \
	%D%/fault.h \
	%D%/file_types.def \
	%D%/grammar.c \
	%D%/grammar.h \
	%D%/handed.h \
	%D%/help.c \
	%D%/lists.def \
	%D%/meant.c \
	%D%/meant.h \
	%D%/norms.def \
	%D%/option_file.c \
	%D%/option_file.h \
	%D%/options.c \
	%D%/options.def \
	%D%/options.h \
	%D%/options_command.c \
	%D%/options_input.c \
	%D%/options_list.c \
	%D%/options_solver.c \
	%D%/options_value.c \
	%D%/preconditioners.def \
	%D%/synonyms.def \
	%D%/table.h \
	%D%/values.c \
	%D%/values.h
