#include "base/context.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"

void cgs_context_init(struct cgs_context *context)
{
    *context = (struct cgs_context){.threads = omp_get_max_threads()};
    cgs_stopwatch_start(&context->watch);
}

enum cgs_status cgs_fail_at(struct cgs_context *context, const char *file, int line,
                            enum cgs_status status, const char *format, ...)
{
    if (context->status != CGS_OK)
        return context->status;
    context->status = status;
    context->file = file;
    context->line = line;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context->message, sizeof context->message, format, arguments);
    va_end(arguments);
    cgs_make_plain(context->message);
    return status;
}

void cgs_fail_add(struct cgs_context *context, const char *format, ...)
{
    const size_t used = strlen(context->message);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(context->message + used, sizeof context->message - used, format, arguments);
    va_end(arguments);
    cgs_make_plain(context->message + used + (format[0] == '\n' && context->message[used]));
}
