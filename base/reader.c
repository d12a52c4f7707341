#include "base/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOOK_MILLISECONDS = 50 };

int cgs_reader_open(struct cgs_reader *reader, const char *path)
{
    struct stat about;
    int error = 0;
    /* Without O_NONBLOCK, opening a FIFO would wait for its writer. */
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return errno;
    if (fstat(file, &about) != 0)
        error = errno;
    else if (S_ISDIR(about.st_mode))
        error = EISDIR;
    if (error != 0) {
        close(file);
        return error;
    }
    reader->file = file;
    reader->regular = S_ISREG(about.st_mode);
    reader->bytes = reader->regular ? about.st_size : 0;
    reader->done = 0;
    return 0;
}

/* Waits until there are data, or no writer is left. A FIFO that no writer has opened yet has no
 * data, though read() would report its end. Returns 0 or an errno. */
static int wait_for_bytes(const struct cgs_reader *reader)
{
    struct pollfd end = {.fd = reader->file, .events = POLLIN};
    for (;;) {
        if (reader->wanted && !reader->wanted(reader->user))
            return EINTR;
        const int ready = poll(&end, 1, LOOK_MILLISECONDS);
        if (ready > 0)
            return 0;
        if (ready < 0 && errno != EINTR && errno != EAGAIN)
            return errno;
    }
}

int64_t cgs_reader_read(struct cgs_reader *reader, void *buffer, size_t size)
{
    for (;;) {
        const int error = reader->regular ? 0 : wait_for_bytes(reader);
        if (error != 0)
            return -error;
        const ssize_t got = read(reader->file, buffer, size);
        if (got >= 0) {
            reader->done += got;
            return got;
        }
        if (errno != EINTR && errno != EAGAIN)
            return -errno;
    }
}

int cgs_reader_rewind(struct cgs_reader *reader)
{
    if (lseek(reader->file, 0, SEEK_SET) != 0)
        return errno;
    reader->done = 0;
    return 0;
}

void cgs_reader_close(struct cgs_reader *reader)
{
    if (reader->file >= 0)
        close(reader->file);
    reader->file = -1;
}
