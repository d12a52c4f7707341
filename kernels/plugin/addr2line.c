#include "kernels/plugin/addr2line.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/child.h"

enum { PATIENCE = 5, LINE = 1024 }; /* seconds, characters */

/* Runs addr2line and returns the first line that it prints, "" if it prints none in time. */
static void ask(char *const *words, char line[LINE])
{
    pid_t pid;
    FILE *said = cgs_child_output();
    line[0] = '\0';
    if (!said)
        return;
    const int descriptors[] = {-1, fileno(said), -1};
    if (cgs_child_start(words[0], words, descriptors, 3, &pid) == 0) {
        cgs_child_end(pid, !cgs_child_gone(pid, PATIENCE));
        rewind(said);
        if (!fgets(line, LINE, said))
            line[0] = '\0';
    }
    fclose(said);
}

void cgs_addr2line(const char *library, uint64_t offset, char *text, size_t size)
{
    char program[] = "addr2line", of[] = "-e", place[32], path[4096], line[LINE];
    char *words[] = {program, of, path, place, NULL};
    snprintf(path, sizeof path, "%s", library);
    snprintf(place, sizeof place, "0x%" PRIx64, offset);
    ask(words, line);
    line[strcspn(line, " \n")] = '\0';
    const char *name = strrchr(line, '/');
    name = name ? name + 1 : line;
    const char *number = strrchr(name, ':');
    const int known = number && number[1] >= '1' && number[1] <= '9'; /* otherwise it prints ??:0 */
    snprintf(text, size, "%s", known ? name : "");
}
