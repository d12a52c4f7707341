/* Status codes of all functions that can fail. The list is base/status.def. */
#pragma once

#include "base/linkage.h"

CGS_BEGIN_C

enum cgs_status {
#define CGS_STATUS(code, exit_status, text, meaning) code,
#include "base/status.def"
#undef CGS_STATUS
};

enum { CGS_STATUSES = CGS_INTERRUPTED + 1 };

/* Returns the program's exit status for this code (0, 1, ..., 130). */
int cgs_status_exit(enum cgs_status status);

/* Returns a short text: "not enough memory". Never NULL. */
const char *cgs_status_text(enum cgs_status status);

/* Returns the meaning for the manual page: whole sentences. Never NULL. */
const char *cgs_status_meaning(enum cgs_status status);

/* Passes a failure on to the caller; its message has been written already. */
#define CGS_TRY(call)                                                                              \
    do {                                                                                           \
        enum cgs_status cgs_try_status_ = (call);                                                  \
        if (cgs_try_status_ != CGS_OK)                                                             \
            return cgs_try_status_;                                                                \
    } while (0)

CGS_END_C
