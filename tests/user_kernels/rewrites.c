/* Right at first. Later y is 0, and so is all memory that it shares with the program, behind the
 * first pages: were x 0 there, y would be right. */
#include <stdio.h>

#include "user_kernel.h"

enum { PAGES = 3 * 4096 };

static void clear_shared(void)
{
    char line[512];
    unsigned long begin, end;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx rw-s", &begin, &end) == 2 && strstr(line, "rw-s"))
            memset((char *)begin + PAGES, 0, end - begin - PAGES);
    if (maps)
        fclose(maps);
}

USER_APPLY
{
    static int count;
    (void)self, (void)stream;
    if (++count < user_at(12)) {
        user_rows(A, x, y, 0, A->rows);
        return 0;
    }
    memset(y, 0, (size_t)(A->rows * A->value_bytes));
    clear_shared();
    return 0;
}

USER_KERNEL("rewrites")
