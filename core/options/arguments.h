/* The words of a command line, and the place where each was written: the command line itself, or
 * a file of options named there by @FILE. */
#pragma once

#include <stddef.h>

#include "base/context.h"

struct cgs_origin {
    int file; /* 0: the command line; else files[file - 1] */
    int line; /* its line in the file, from 1 on; on the command line the number of the word */
};

/* All is borrowed. */
struct cgs_arguments {
    int argc;
    const char *const *argv; /* argv[0] is the program's name */
    const struct cgs_origin
        *origins; /* one a word; NULL: the words are those of the command line */
    const char *const
        *files; /* files of options, in the order of reading; one read twice has two */
    int file_count;
};

/* Writes the place of a word: "word 3", "wall.txt:3". */
void cgs_argument_place(const struct cgs_arguments *arguments, int at, char *text, size_t size);

/* Puts "wall.txt:3: " before the message of the failure if the word is from a file. */
void cgs_argument_locate(struct cgs_context *context, const struct cgs_arguments *arguments,
                         int at);
