/* Rights and limits that the process of a user's kernel keeps, or that of the compiler of one
 * (contain.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct cgs_containment {
    const char *library; /* path; it and libraries beside it may be read */
    int64_t memory;      /* bytes to allocate, without threads' stacks; 0: no limit */
    int threads;
    bool cuda; /* its driver writes to devices, and maps more memory than there is */
    /* The fields below are set for a compiler, which starts programs; those above for a kernel. */
    const char *folder;   /* files are made in it and nowhere else; NULL: a kernel's process */
    const char *source;   /* path of the file to compile */
    const char *compiler; /* path of the program that is to be executed */
    bool judge;           /* `compiler` is a script or program that judges the file: of the folder
                           * in which it is nothing else is read */
    bool alone;           /* no headers beside the source are read */
    int seconds;          /* of processor time, for each program */
};
