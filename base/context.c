#include "base/context.h"

#include <omp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"

void cgs_context_init(struct cgs_context *context)
{
    *context = (struct cgs_context){.threads = omp_get_max_threads()};
    cgs_stopwatch_start(&context->watch);
}

/* Shortens words that are longer than anything people type, so that what follows them still
 * fits. */
static void shorten_words(char *text)
{
    enum { LONGEST = 256, KEPT = 60 };
    char *to = text;
    for (const char *at = text; *at;) {
        const size_t blanks = strspn(at, " \n"), length = strcspn(at + blanks, " \n");
        const size_t kept = length > LONGEST ? KEPT : length;
        memmove(to, at, blanks + kept);
        to += blanks + kept;
        at += blanks + length;
        if (kept < length) {
            memcpy(to, "...", 3);
            memmove(to + 3, at - KEPT, KEPT);
            to += 3 + KEPT;
        }
    }
    *to = '\0';
}

/* Writes the message; one that is too long with its longest words cut. */
CGS_PRINTF(3, 0)
static void write_message(char *message, size_t size, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(message, size, format, arguments);
    char *whole = length >= (int)size ? malloc((size_t)length + 1) : NULL;
    if (whole) {
        vsnprintf(whole, (size_t)length + 1, format, again);
        shorten_words(whole);
        snprintf(message, size, "%s", whole);
        free(whole);
    }
    cgs_name_settings(message, size);
    va_end(again);
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
    write_message(context->message, sizeof context->message, format, arguments);
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
    cgs_name_settings(context->message + used, sizeof context->message - used);
    cgs_make_plain(context->message + used + (format[0] == '\n' && context->message[used]));
}

void cgs_fail_before(struct cgs_context *context, const char *format, ...)
{
    char before[512], *message = context->message;
    va_list arguments;
    va_start(arguments, format);
    write_message(before, sizeof before, format, arguments);
    va_end(arguments);
    cgs_make_plain(before);
    const size_t used = strlen(before), room = sizeof context->message - 1 - used;
    const size_t length = strlen(message), kept = length < room ? length : room;
    memmove(message + used, message, kept);
    memcpy(message, before, used);
    message[used + kept] = '\0';
}
