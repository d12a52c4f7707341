/* Words of 64 bits from each rank to each other one, as many as they like: what ranks tell each
 * other in set-up. */
#pragma once

#include "base/comm.h"

/* Words to and from all ranks, in rank order; owned. */
struct cgs_mail {
    int64_t *out, *in;
    int64_t out_words, in_words;
    int out_counts[CGS_RANKS_MOST], in_counts[CGS_RANKS_MOST];
};

/* Makes room for words[r] words to each rank r, and for what comes; on all ranks at once, which
 * agree on failure. `status`: this rank's so far. *mail is owned by the caller, and empty after
 * a failure. CGS_MEMORY: also where counts do not fit the 32 bits of MPI. */
enum cgs_status cgs_mail_open(struct cgs_context *context, enum cgs_status status,
                              const int64_t *words, struct cgs_mail *mail);

/* Sends `out` and receives `in`; on all ranks at once. */
void cgs_mail_send(struct cgs_context *context, const struct cgs_mail *mail);

/* An empty struct is allowed. */
void cgs_mail_release(struct cgs_context *context, struct cgs_mail *mail);
