#include "kernels/sparse/mail.h"

#include "base/memory.h"

void cgs_mail_release(struct cgs_context *context, struct cgs_mail *mail)
{
    cgs_free(context, mail->out);
    cgs_free(context, mail->in);
    *mail = (struct cgs_mail){0};
}

/* Adds words up; fails where there are too many. */
static enum cgs_status count_words(struct cgs_context *context, const int64_t *words, int *counts,
                                   int64_t *all)
{
    *all = 0;
    for (int r = 0; r < context->comm->size; r++) {
        *all += words[r];
        counts[r] = (int)words[r];
    }
    if (*all <= INT32_MAX)
        return CGS_OK;
    return cgs_fail(
        context, CGS_MEMORY,
        "%.1f GB between this rank and the others are more than MPI's counts of 32 bits "
        "take: set multigrid up on more ranks",
        8e-9 * (double)*all);
}

static enum cgs_status alloc_both(struct cgs_context *context, const int64_t *theirs,
                                  const int64_t *words, struct cgs_mail *mail)
{
    CGS_TRY(count_words(context, words, mail->out_counts, &mail->out_words));
    CGS_TRY(count_words(context, theirs, mail->in_counts, &mail->in_words));
    CGS_TRY(cgs_alloc(context, mail->out_words, sizeof *mail->out, "numbers for other ranks",
                      (void **)&mail->out));
    return cgs_alloc(context, mail->in_words, sizeof *mail->in, "numbers of other ranks",
                     (void **)&mail->in);
}

enum cgs_status cgs_mail_open(struct cgs_context *context, enum cgs_status status,
                              const int64_t *words, struct cgs_mail *mail)
{
    struct cgs_comm *comm = context->comm;
    int64_t theirs[CGS_RANKS_MOST];
    int ones[CGS_RANKS_MOST];
    *mail = (struct cgs_mail){0};
    CGS_TRY(cgs_comm_agree(context, status));
    for (int r = 0; r < comm->size; r++)
        ones[r] = 1;
    comm->ops->swap(comm, words, ones, theirs, ones);
    status = cgs_comm_agree(context, alloc_both(context, theirs, words, mail));
    if (status != CGS_OK)
        cgs_mail_release(context, mail);
    return status;
}

void cgs_mail_send(struct cgs_context *context, const struct cgs_mail *mail)
{
    struct cgs_comm *comm = context->comm;
    comm->ops->swap(comm, mail->out, mail->out_counts, mail->in, mail->in_counts);
}
