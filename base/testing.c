#include "base/testing.h"

#include <stdlib.h>
#include <string.h>

double cgs_testing(const char *name, double usual)
{
    const size_t length = strlen(name);
    const char *at = getenv("CGSOLVE_TEST");
    while (at && (strncmp(at, name, length) != 0 || at[length] != '='))
        at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL;
    return at ? strtod(at + length + 1, NULL) : usual;
}
