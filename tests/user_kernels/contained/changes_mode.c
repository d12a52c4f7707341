/* Changes the permissions of a file, and when it was written. */
#include "attempt.h"
#include <fcntl.h>
#include <sys/stat.h>

static const char *attempt(void)
{
    if (chmod("kept", 0777) == 0)
        return "it changed the permissions of a file";
    return utimensat(AT_FDCWD, "kept", NULL, 0) == 0 ? "it changed the time of a file" : NULL;
}

USER_ATTEMPT("changes_mode")
