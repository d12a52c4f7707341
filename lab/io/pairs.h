/* Texts of lines `key = value`, as settings and answers have them. A line that begins with # is a
 * comment; lines without anything are passed over. */
#pragma once

#include <stdio.h>

#include "base/context.h"

enum { CGS_PAIRS_MOST = 32 };

struct cgs_pairs {
    int count;
    struct cgs_pair {
        char *key, *value; /* owned; without blanks at their ends */
        int line;
    } items[CGS_PAIRS_MOST];
};

/* Reads the pairs of a file, to be released in any case. name: of the file, for messages. CGS_FILE:
 * the file has a line of another form, a key twice, or too many keys. */
enum cgs_status cgs_pairs_read(struct cgs_context *context, FILE *file, const char *name,
                               struct cgs_pairs *pairs);

/* Returns the value of a key, NULL if there is none. Borrowed. */
const char *cgs_pairs_get(const struct cgs_pairs *pairs, const char *key);

void cgs_pairs_release(struct cgs_pairs *pairs);
