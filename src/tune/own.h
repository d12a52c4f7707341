/* The person's own kernels of a run: the words of --kernel= that are files, as candidates of the
 * laboratory, and verified like any other before CG may use one. */
#ifndef CGS_SRC_TUNE_OWN_H
#define CGS_SRC_TUNE_OWN_H

#include "kernels/user/foreign.h"
#include "src/tune/candidates.h"

enum { CGS_OWN_MOST = 32 };

struct cgs_own {
    struct cgs_foreign *items[CGS_OWN_MOST]; /* owned; in the order of the words */
    int count;
};

/* Opens every file among the words: as long as there is neither a second thread nor a device, if
 * possible. CGS_FILE as cgs_foreign_open; CGS_USAGE: too many. Always to be closed. */
enum cgs_status cgs_own_open(struct cgs_context *context, const struct cgs_options *options,
                             struct cgs_own *own);
void cgs_own_close(struct cgs_context *context, struct cgs_own *own);

/* The kernel of that word; NULL: it is none of them. */
const struct cgs_foreign *cgs_own_find(const struct cgs_own *own, const char *word);

/* As a candidate for a run on `device` in this precision, with the layout of `padding`; reason says
 * why it can't be tried there. */
struct cgs_candidate cgs_own_candidate(const struct cgs_foreign *foreign, enum cgs_device device,
                                       enum cgs_precision precision, int32_t chunk, int32_t sigma);

/* Tries the kernel of a solve (options->foreign) on these rows in a process of its own, as the
 * laboratory does. CGS_NOT_CONVERGED: it is wrong, crashes, hangs, ..., and in which row. */
enum cgs_status cgs_own_verify(struct cgs_context *context, const struct cgs_options *options,
                               const struct cgs_machine *machine,
                               const struct cgs_row_source *source);

#endif
