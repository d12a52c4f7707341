/* Named constants that a user defines for expressions (base/expression.h), --let=k=2, and
 * limits. */
#pragma once

enum {
    CGS_CONSTANTS = 64,           /* at most */
    CGS_CONSTANT_NAME = 32,       /* bytes of a name, with its end */
    CGS_EXPRESSION_LENGTH = 4096, /* characters of a text, at most */
    CGS_EXPRESSION_VARIABLES = 16 /* at most */
};

/* A plain value: {.count = 0} has none, and a copy is independent. */
struct cgs_constants {
    int count;
    struct cgs_constant {
        char name[CGS_CONSTANT_NAME];
        double value;
    } list[CGS_CONSTANTS];
};
