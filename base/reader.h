/* Reading of a file or pipe whose writer may stall or not exist yet: while waiting, a callback is
 * asked regularly whether to go on. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/linkage.h"

CGS_BEGIN_C

struct cgs_reader {
    int file;      /* its descriptor, -1: none */
    bool regular;  /* a file on a disk, not a pipe or a terminal */
    int64_t bytes; /* its length; 0: unknown */
    int64_t done;  /* bytes read so far */
    /* Called while no data arrive, some twenty times a second; false ends the waiting. NULL:
     * waits. */
    bool (*wanted)(void *user);
    void *user;
};

/* Opens the file, also a FIFO without a writer; sets all except wanted and user. Returns 0 or an
 * errno, EISDIR for a folder; nothing is open then. */
int cgs_reader_open(struct cgs_reader *reader, const char *path);

/* Reads up to `size` bytes. Returns their number, 0 at the end, or a negative errno; -EINTR:
 * `wanted` returned false. */
int64_t cgs_reader_read(struct cgs_reader *reader, void *buffer, size_t size);

/* Goes back to the start. Returns 0 or an errno. */
int cgs_reader_rewind(struct cgs_reader *reader);

/* Does nothing if no file is open. */
void cgs_reader_close(struct cgs_reader *reader);

CGS_END_C
