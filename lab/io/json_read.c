#include "lab/io/json_read.h"

#include <errno.h>

#include "base/reader.h"
#include "core/io/interrupt.h"
#include "core/io/json.h"

struct source {
    struct cgs_reader reader;
    int error; /* why nothing more came, 0: it did */
};

static bool wanted(void *user)
{
    (void)user;
    return !cgs_interrupted();
}

static size_t give(void *buffer, size_t size, void *user)
{
    struct source *source = user;
    const int64_t got = cgs_reader_read(&source->reader, buffer, size);
    if (got >= 0)
        return (size_t)got;
    source->error = (int)-got;
    return (size_t)-1;
}

json_t *cgs_json_read(const char *path, json_error_t *error, int *reason)
{
    struct source source = {.reader = {.file = -1, .wanted = wanted}};
    *reason = cgs_reader_open(&source.reader, path);
    if (*reason != 0)
        return NULL;
    json_t *root = json_load_callback(give, &source, 0, error);
    cgs_reader_close(&source.reader);
    const bool starved = cgs_json_starved(); /* then it may lack parts */
    *reason = source.error == 0 && starved ? ENOMEM : source.error;
    if (*reason == 0)
        return root;
    json_decref(root);
    return NULL;
}
