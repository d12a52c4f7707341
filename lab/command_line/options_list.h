/* Several values of an option, for `study`. */
#pragma once

#include "core/options/options.h"

/* Returns true if a study takes several values separated by commas: numbers, choices, --kernel,
 * --matrix. */
bool cgs_option_listable(enum cgs_option_id id);

struct cgs_list {
    char **values; /* in their shortest spelling, "10" for "1e1"; array and strings owned */
    int count;
};

/* Reads the values of a listable option, or one value of another. CGS_USAGE: a value is invalid or
 * occurs twice. Release the list after errors, too. */
enum cgs_status cgs_list_read(struct cgs_context *context, enum cgs_option_id id, const char *text,
                              struct cgs_list *list);
void cgs_list_release(struct cgs_list *list);
/* Returns true if the text has a comma, or is a range, where a study would take several values. */
bool cgs_list_several(enum cgs_option_id id, const char *text);
/* Takes an option of `study`, as cgs_options_take does. Of several values the field gets the last;
 * a TEXT gets the whole list. */
enum cgs_status cgs_options_take_list(struct cgs_context *context, struct cgs_options *options,
                                      enum cgs_option_id id, const char *text);
/* CGS_USAGE: --resume or --draw without --report, an invalid --expect-order, a file named twice. */
enum cgs_status cgs_options_check_study(struct cgs_context *context, const struct cgs_options *o);
