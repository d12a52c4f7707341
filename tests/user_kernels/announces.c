/* While it is loaded it writes over the numbers of rows and columns of the job, in memory that it
 * shares with the program: what the worker takes memory for then is not the matrix. */
#include <stdio.h>

#include "user_kernel.h"

/* where struct cgs_job (kernels/plugin/wire.h) has its rows, columns and nonzeros */
enum { ROWS = 4416 };

__attribute__((constructor)) static void announce(void)
{
    char line[512];
    unsigned long begin, end;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx rw-s", &begin, &end) == 2 && strstr(line, "rw-s"))
            for (int i = 0; i < 3; i++)
                ((int64_t *)(begin + ROWS))[i] = (int64_t)1 << 56;
    if (maps)
        fclose(maps);
}

USER_APPLY
{
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    return 0;
}

USER_KERNEL("announces")
