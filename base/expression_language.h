/* The language of expressions: its functions and constants, and the check of a text against it.
 * Internal to base/expression.h. */
#ifndef CGS_BASE_EXPRESSION_LANGUAGE_H
#define CGS_BASE_EXPRESSION_LANGUAGE_H

#include <stdbool.h>

#include "base/constants.h"
#include "base/context.h"

enum {
    CGS_EXPRESSION_LENGTH = 4096, /* characters of a text, at most */
    CGS_EXPRESSION_VARIABLES = 16 /* at most */
};

/* A function has one argument, or two, or two and more: one of the pointers is not NULL. */
struct cgs_function {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
    double (*many)(const double *, int);
};

enum { CGS_FUNCTIONS = 29, CGS_KNOWN_CONSTANTS = 4 };

extern const struct cgs_function cgs_functions[CGS_FUNCTIONS];

extern const struct cgs_known_constant {
    const char *name;
    double value;
} cgs_known_constants[CGS_KNOWN_CONSTANTS];

/* A text to be checked, and what it may name. */
struct cgs_expression_source {
    struct cgs_context *context;
    const char *option, *text;
    const char *const *variables;
    int variable_count;
    const struct cgs_constants *constants;
};

/* Checks the text: what passes muParser takes, too. bare: room for CGS_EXPRESSION_LENGTH + 1 bytes,
 * receives the text without blanks, and with & and | for && and ||. uses[i]: set to true for each
 * variable that occurs. CGS_USAGE, with the message described in base/expression.h. */
enum cgs_status cgs_expression_check(const struct cgs_expression_source *source, char *bare,
                                     bool *uses);

/* Checks that a constant may have this name. CGS_USAGE: it is not a name, is too long, or belongs
 * to the language. */
enum cgs_status cgs_constant_check(struct cgs_context *context, const char *option,
                                   const char *name);

#endif
