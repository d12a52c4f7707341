/* User kernels: --kernel=./mine.so, ./mine.c, ./mine.cu (include/cgsolve/kernel.h).
 *
 * In the names of this folder a "plugin" kernel is a user's kernel. Its file becomes an entry like
 * those of the registry, whose functions run the kernel in one of two ways:
 *   isolated  in a worker process for each operator. The kernel may crash, hang, write anywhere or
 *          break its CUDA context without harm to this process. Vectors are copied to the worker
 *          and back, so the time of a product is measured there (steps.time).
 *   here   in this process, where CG calls it as fast as a built-in kernel. This is
 *          for a process that another one watches (core/run/guard.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/context.h"
#include "base/linkage.h"
#include "kernels/plugin/note.h"
#include "kernels/plugin/pulse.h"
#include "kernels/registry.h"

CGS_BEGIN_C

struct cgs_plugin;

/* Compiles the file if it is a source, loads the library in a process of its own and reads its
 * descriptor. index: the CUDA device to use.
 * CGS_FILE: no such file, compiler errors (first lines), no library, no such symbol, another ABI.
 * A kernel that crashes or hangs when loaded still gives an entry, whose prepare fails with the
 * reason: cgs_plugin_broken. Owned by the caller. */
enum cgs_status cgs_plugin_open(struct cgs_context *context, const char *path, int index,
                                struct cgs_plugin **plugin);
void cgs_plugin_close(struct cgs_context *context, struct cgs_plugin *plugin);

/* Opens a kernel whose source is a .c once more, compiled with -O0, warnings and the compiler's
 * checks. *checked: NULL where there is no such source, or it can't be compiled so. Owned by the
 * caller. CGS_MEMORY. */
enum cgs_status cgs_plugin_open_checked(struct cgs_context *context,
                                        const struct cgs_plugin *plugin,
                                        struct cgs_plugin **checked);

/* Returns the compiler's first messages on a kernel of cgs_plugin_open_checked, "" if there are
 * none. Borrowed. */
const char *cgs_plugin_warnings(const struct cgs_plugin *checked);

/* Writes the first line that the compiler's checks have printed in its processes, "" if none has
 * failed. */
void cgs_plugin_finding(const struct cgs_plugin *checked, char *text, size_t size);

/* Returns why no operator can be made, or NULL. */
const char *cgs_plugin_broken(const struct cgs_plugin *plugin);

/* Returns the parts of the containment that its worker processes lack, as words (contain.h), "" if
 * none. Borrowed. */
const char *cgs_plugin_uncontained(const struct cgs_plugin *plugin);

/* Returns the functions of the system that a kernel given as C calls though no kernel needs them
 * (symbols.h), as "fork, system"; "" if there are none. Containment keeps them from doing harm.
 * Borrowed. */
const char *cgs_plugin_calls(const struct cgs_plugin *plugin);

/* Returns the name that the kernel gives itself, its path if that could not be read. Borrowed. */
const char *cgs_plugin_name(const struct cgs_plugin *plugin);

/* Returns true if the kernel has a `prepare`, in which it may build its own layout. */
bool cgs_plugin_prepares(const struct cgs_plugin *plugin);

/* Checks each y that is timed by *check, borrowed, instead of as A x: for functions other than
 * products. */
void cgs_plugin_check_by(struct cgs_plugin *plugin, const struct cgs_plugin_check *check);

/* Lets each request of timed products set *note, borrowed; NULL: no longer. */
void cgs_plugin_note(struct cgs_plugin *plugin, struct cgs_plugin_note *note);

/* Returns the entry, named by the path as given. Borrowed; missing precisions are NULL. */
const struct cgs_kernel_entry *cgs_plugin_isolated(const struct cgs_plugin *plugin);
/* pulse: the watcher's; NULL: not watched. */
const struct cgs_kernel_entry *cgs_plugin_in_process(struct cgs_plugin *plugin,
                                                     struct cgs_pulse *pulse);

CGS_END_C
