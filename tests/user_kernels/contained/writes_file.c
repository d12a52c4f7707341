/* Writes files in the current folder, in the user's home and in /tmp; changes and removes one
 * that is there. */
#include "attempt.h"
#include <sys/stat.h>

static bool writes(const char *folder, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder ? folder : "/nowhere", name);
    FILE *file = fopen(path, "w");
    return file && fputs("written", file) >= 0 && fclose(file) == 0;
}

static const char *attempt(void)
{
    if (writes(".", "written"))
        return "it wrote a file in the current folder";
    if (writes(getenv("HOME"), "written"))
        return "it wrote a file in the home";
    if (writes("/tmp", user_test("written") ? user_test("written") : "cgsolve-written"))
        return "it wrote a file in /tmp";
    if (writes(".", "kept"))
        return "it overwrote a file";
    if (truncate("kept", 0) == 0)
        return "it emptied a file";
    if (rename("kept", "lost") == 0 || unlink("kept") == 0)
        return "it removed a file";
    if (mkdir("made", 0700) == 0 || symlink("kept", "link") == 0)
        return "it made a folder or a link";
    return NULL;
}

USER_ATTEMPT("writes_file")
