/* Writes over the begin of memory that it shares with the program, where its products are counted,
 * and crashes. */
#include <stdio.h>

#include "user_kernel.h"

USER_APPLY
{
    char line[512];
    unsigned long begin, end;
    FILE *maps = fopen("/proc/self/maps", "r");
    (void)self, (void)stream, (void)A, (void)x, (void)y;
    while (maps && fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx rw-s", &begin, &end) == 2 && strstr(line, "rw-s"))
            /* struct cgs_pulse (kernels/plugin/pulse.h): product */
            ((int64_t *)begin)[2] = 123456789;
    return *(volatile int *)8;
}

USER_KERNEL("miscounts")
