#include "base/status.h"

struct entry {
    int exit_status;
    const char *text, *meaning;
};

static const struct entry entries[] = {
#define CGS_STATUS(code, exit_status, text, meaning) [code] = {exit_status, text, meaning},
#include "base/status.def"
#undef CGS_STATUS
};

int cgs_status_exit(enum cgs_status status)
{
    return entries[status].exit_status;
}

const char *cgs_status_text(enum cgs_status status)
{
    return entries[status].text;
}

const char *cgs_status_meaning(enum cgs_status status)
{
    return entries[status].meaning;
}
