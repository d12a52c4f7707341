/* Texts of --help, -h and --usage, and of the options that a run had. */
#pragma once

#include <stdio.h>

#include "core/options/options.h"
#include "lab/command_line/call.h"

/* Writes a list of options: a title, an option, the end of a command's (NULL: nothing). */
struct cgs_option_writer {
    void (*title)(FILE *file, const char *title);
    void (*option)(FILE *file, enum cgs_option_id id);
    void (*end)(FILE *file, enum cgs_command command, bool expert);
};
/* Lists the options, for experts or not, by command: each with the first one that takes it, those
 * of solve by group. */
void cgs_options_by_command(FILE *file, bool expert, const struct cgs_option_writer *writer);
/* Runs the command `help`, --help and -h: prints the help of the command named, or of all. */
enum cgs_status cgs_help(struct cgs_context *context, const struct cgs_call *call);
/* Prints the form of a call, in one line or a few. */
void cgs_print_usage(FILE *file);
/* Prints the known options apart from output and help, "--N=64 --problem=smooth ...", in lines of
 * at most `width` characters; all but the first line are indented by `indent`. */
void cgs_print_effective(FILE *file, const struct cgs_settings *settings, int indent, int width);
