/* Kernels of the user's own: --kernel=./mine.so, ./mine.c, ./mine.cu (include/cgsolve/kernel.h).
 *
 * A file becomes an entry like those of the registry. Its tables work in one of two ways:
 *   apart  each operator has a process of its own, in which the library is loaded: it may crash,
 * hang, write where it likes or break its CUDA context, and only its own row of a table is lost.
 *          Vectors travel, so the time of a product is what steps.time says.
 *   here   the library is loaded into this process: as fast as a kernel of ours, inside CG; for a
 *          process that somebody watches (src/run/guard.h).
 */
#ifndef CGS_KERNELS_USER_FOREIGN_H
#define CGS_KERNELS_USER_FOREIGN_H

#include <stdbool.h>

#include "base/context.h"
#include "base/linkage.h"
#include "kernels/registry.h"
#include "kernels/user/pulse.h"

CGS_BEGIN_C

struct cgs_foreign;

/* Whether --kernel=NAME is a file: it has a '/', or ends in .so, .c or .cu. */
bool cgs_foreign_named(const char *name);

/* Compiles the file where it is a source, loads the library in a process of its own and reads its
 * descriptor. `index`: the CUDA device that it is to use.
 * CGS_FILE: no such file, errors of the compiler (its first lines), no library, no such symbol,
 * another ABI. A kernel that crashes or hangs when it is loaded gives an entry nevertheless, whose
 * prepare fails with the reason: cgs_foreign_broken. Owned by the caller. */
enum cgs_status cgs_foreign_open(struct cgs_context *context, const char *path, int index,
                                 struct cgs_foreign **foreign);
void cgs_foreign_close(struct cgs_context *context, struct cgs_foreign *foreign);

/* Why no operator can be made; NULL where one can. */
const char *cgs_foreign_broken(const struct cgs_foreign *foreign);

/* The entry: its name is the path as given. Borrowed; a precision that the kernel lacks is NULL. */
const struct cgs_kernel_entry *cgs_foreign_apart(const struct cgs_foreign *foreign);
/* `pulse` is the watcher's; NULL: nobody watches. */
const struct cgs_kernel_entry *cgs_foreign_here(struct cgs_foreign *foreign,
                                                struct cgs_pulse *pulse);

CGS_END_C

#endif
