#include "matrix/market/market_stream.h"

#include <stdarg.h>
#include <stdio.h>

enum cgs_status cgs_market_complain(struct cgs_market_text *text, int64_t line, const char *format,
                                    ...)
{
    char what[1024], where[32] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (line > 0)
        snprintf(where, sizeof where, ":%lld", (long long)line);
    return cgs_fail(text->context, CGS_FILE, "%s%s%s%s: %s", text->path,
                    text->member[0] ? ": " : "", text->member, where, what);
}
