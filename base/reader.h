/* A file that is read, be it a pipe whose writer stalls or has not come yet: no call waits without
 * asking now and then whether the reading is still wanted. */
#ifndef CGS_BASE_READER_H
#define CGS_BASE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"

CGS_BEGIN_C

struct cgs_reader {
    int file;      /* its descriptor, -1: none */
    bool regular;  /* a file on a disk, not a pipe or a terminal */
    int64_t bytes; /* its length, 0: unknown */
    int64_t done;  /* bytes read of it */
    /* Asked while nothing comes, some twenty times a second; false ends the waiting. NULL: waits. */
    bool (*wanted)(void *user);
    void *user;
};

/* Opens the file, also a FIFO that nobody writes to yet; sets all but wanted and user. Returns 0 or an
 * errno, EISDIR for a folder; nothing is held then. */
int cgs_reader_open(struct cgs_reader *reader, const char *path);

/* Reads up to `size` bytes. Returns how many, 0 at the end, else a negative errno; -EINTR: it is no
 * longer wanted. */
int64_t cgs_reader_read(struct cgs_reader *reader, void *buffer, size_t size);

/* Goes back to the start. Returns 0 or an errno. */
int cgs_reader_rewind(struct cgs_reader *reader);

/* Does nothing where none is open. */
void cgs_reader_close(struct cgs_reader *reader);

CGS_END_C

#endif
