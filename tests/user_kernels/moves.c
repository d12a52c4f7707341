/* Right, but it leaves the process otherwise than it found it: folder, umask, locale, rounding,
 * handlers, descriptors; and it talks on standard output. */
#include "user_kernel.h"
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

USER_APPLY
{
    static int count;
    (void)self, (void)stream;
    user_rows(A, x, y, 0, A->rows);
    if (++count != user_at(1))
        return 0;
    printf("a word of the kernel's own\n");
    (void)!chdir("/");
    umask(0777);
    setlocale(LC_ALL, "");
    fesetround(FE_UPWARD);
    for (int number = 1; number < 32; number++)
        signal(number, SIG_IGN);
    const char *first = user_test("closes");
    for (int descriptor = first ? atoi(first) : 1024; descriptor < 1024; descriptor++)
        close(descriptor);
    return 0;
}

USER_KERNEL("moves")
