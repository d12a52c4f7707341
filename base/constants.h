/* Named constants that a user defines for expressions (base/expression.h): --let=k=2. */
#ifndef CGS_BASE_CONSTANTS_H
#define CGS_BASE_CONSTANTS_H

enum {
    CGS_CONSTANTS = 64,    /* at most */
    CGS_CONSTANT_NAME = 32 /* bytes of a name, with its end */
};

/* A plain value: {.count = 0} has none, and a copy is independent. */
struct cgs_constants {
    int count;
    struct cgs_constant {
        char name[CGS_CONSTANT_NAME];
        double value;
    } list[CGS_CONSTANTS];
};

#endif
