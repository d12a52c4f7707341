/* The options as typed values, from the tables options.def and choices.def: the settings of a
 * run, and what concerns the command line and the program alone. */
#pragma once

#include "core/options/settings.h"

struct cgs_arguments; /* core/options/arguments.h */

struct cgs_options {
    struct cgs_settings settings; /* first, since the table of options has offsets for both */
#define CGS_OPTION(...)
#define CGS_PROGRAM_OPTION(group, commands, name, kind, field, ...) CGS_FIELD_##kind field;
#include "core/options/options.def"
#undef CGS_OPTION
#undef CGS_PROGRAM_OPTION
    bool screen;             /* help by -h: one screen */
    bool expert;             /* help for experts */
    int places[CGS_OPTIONS]; /* where argv has it; 0: it does not */
    const struct cgs_arguments
        *arguments;           /* that were parsed; borrowed, NULL: they are gone, or none */
    char *texts[CGS_OPTIONS]; /* values as given; owned */
    const char **words;       /* words after the command; array owned, strings borrowed from argv */
    int word_count;
};
