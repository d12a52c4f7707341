/* The doctor on the places where files are written. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "src/doctor/doctor_files.h"

enum { LITTLE = 64 << 20 }; /* bytes free, below which reports and histories may not fit */

/* "" where files can be made there, or why not. */
static const char *why_not(const char *folder)
{
    struct stat there;
    if (stat(folder, &there) != 0)
        return strerror(errno);
    if (!S_ISDIR(there.st_mode))
        return strerror(ENOTDIR);
    return access(folder, W_OK | X_OK) == 0 ? "" : strerror(errno);
}

static void examine_folder(struct cgs_examination *e)
{
    const char *why = why_not(".");
    struct statvfs system;
    cgs_text text;
    if (*why) {
        cgs_ails(cgs_found(e, "folder", "this one is not for writing: %s", why), CGS_NOTE,
                 "--json=FILE and --history=FILE need names of files elsewhere", "cd \"$HOME\"");
        return;
    }
    if (statvfs(".", &system) != 0) {
        cgs_found(e, "folder", "this one can be written to");
        return;
    }
    const int64_t left = (int64_t)system.f_bavail * (int64_t)system.f_frsize;
    struct cgs_finding *f =
        cgs_found(e, "folder", "this one can be written to, %s free", cgs_bytes_text(left, text));
    if (left < LITTLE)
        cgs_ails(f, CGS_NOTE, "reports and histories may not fit", "cd \"$HOME\"");
}

void cgs_examine_files(struct cgs_examination *e)
{
    const char *temporary = getenv("TMPDIR");
    e->section = "Files";
    examine_folder(e);
    if (!temporary || !*temporary)
        return;
    const char *why = why_not(temporary);
    struct cgs_finding *f = cgs_found(e, "TMPDIR", "%s%s%s", temporary, *why ? ": " : "", why);
    if (*why)
        cgs_ails(f, CGS_NOTE, "compilers and make check make their temporary files there",
                 "export TMPDIR=/tmp");
}
