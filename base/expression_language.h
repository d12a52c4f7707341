/* The language of expressions, and programs of it. Internal to base/expression.h. */
#pragma once

#include <stdbool.h>

#include "base/constants.h"
#include "base/context.h"

/* A step of a program computes a value from those of earlier steps; the last one's is the
 * expression's. */
struct cgs_step;
typedef void cgs_loop(const struct cgs_step *step, int count, const double *a, const double *b,
                      const double *c, double *restrict to);

struct cgs_step {
    cgs_loop *loop; /* computes it at `count` points from its operands there; NULL: a variable */
    int from[3];    /* the steps of its operands */
    int first;      /* steps from this one to itself are those of its operands, and no others' */
    unsigned uses;  /* bit i: variable i occurs in it */
    bool jumps;     /* its value is a step function: a comparison, or floor, ceil, round, sign */
    union {
        double value;
        int variable;
        double (*one)(double);
        double (*two)(double, double);
    };
};

/* A text to be read, and what it may name. */
struct cgs_expression_source {
    struct cgs_context *context;
    const char *option, *text;
    const char *const *variables;
    int variable_count;
    const struct cgs_constants *constants;
};

/* Reads the text. step: room for as many steps as the text has characters. CGS_USAGE, with the
 * message described in base/expression.h; CGS_MEMORY. */
enum cgs_status cgs_expression_read(const struct cgs_expression_source *source,
                                    struct cgs_step *step, int *steps);

/* Checks that a constant may have this name. CGS_USAGE: it is not a name, is too long, or belongs
 * to the language. */
enum cgs_status cgs_constant_check(struct cgs_context *context, const char *option,
                                   const char *name);
