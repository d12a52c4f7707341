#include "core/options/arguments.h"

#include <stdio.h>

static struct cgs_origin origin_of(const struct cgs_arguments *arguments, int at)
{
    return arguments->origins ? arguments->origins[at] : (struct cgs_origin){0, at};
}

void cgs_argument_place(const struct cgs_arguments *arguments, int at, char *text, size_t size)
{
    const struct cgs_origin origin = origin_of(arguments, at);
    if (origin.file == 0)
        snprintf(text, size, "word %d", origin.line);
    else
        snprintf(text, size, "%s:%d", arguments->files[origin.file - 1], origin.line);
}

void cgs_argument_locate(struct cgs_context *context, const struct cgs_arguments *arguments, int at)
{
    const struct cgs_origin origin = origin_of(arguments, at);
    if (origin.file > 0)
        cgs_fail_before(context, "%s:%d: ", arguments->files[origin.file - 1], origin.line);
}
