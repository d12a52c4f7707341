/* Names, choices, ranges and values of options and commands, read from their tables alone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "core/options/table.h"

struct cgs_options;  /* core/options/options.h */
struct cgs_settings; /* core/options/settings.h */

/* Returns the option whose name is the first `length` characters of `name`; -1: none. */
int cgs_option_find(const char *name, size_t length);

/* Returns the name that is spelled most like the word; NULL: none is near. */
const char *cgs_option_nearest(const char *word);

/* Lists the choices of an option (CHOICE or PROBLEM); returns their number. */
int cgs_option_choices(enum cgs_option_id option, struct cgs_choice choices[CGS_CHOICES_MOST]);

/* Writes the choices of an option, "crs, sell", with `last` before the last one. */
void cgs_option_list_choices(enum cgs_option_id option, const char *last, char *text, size_t size);

/* Writes the valid range, "single or double", "1 ... 1290", "0 < TOL < 1"; "" if unrestricted. */
void cgs_option_range(enum cgs_option_id option, char *text, size_t size);

/* "solve", "study" */
const char *cgs_command_name(enum cgs_command command);

/* Returns the text of the default in --help; "": none. */
const char *cgs_option_default(const struct cgs_option *option);

/* Writes the current value as on the command line; "" for a FLAG. */
void cgs_option_value(const struct cgs_options *options, enum cgs_option_id option, char *text,
                      size_t size);

/* The same of a setting. */
void cgs_setting_value(const struct cgs_settings *settings, enum cgs_option_id option, char *text,
                       size_t size);

/* Returns the name of the current value of a setting, a CHOICE; of --guess also that of a file. */
const char *cgs_option_choice(const struct cgs_settings *settings, enum cgs_option_id option);

/* Returns the option of a word, --NAME, --NAME=VALUE, -L or -LVALUE; -1: none. *value: its
 * value, NULL if none is in the word. */
int cgs_option_named(const char *word, const char **value);
