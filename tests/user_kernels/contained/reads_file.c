/* Reads a file of the current folder; system files may be read. */
#include "attempt.h"

static const char *attempt(void)
{
    if (!fopen("/etc/passwd", "r"))
        return "it could not read /etc/passwd";
    return fopen("secret", "r") ? "it read a file in the current folder" : NULL;
}

USER_ATTEMPT("reads_file")
