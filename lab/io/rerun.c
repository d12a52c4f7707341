#include "lab/io/rerun.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "core/io/interrupt.h"

static const char program[] = CGS_CHILD_SELF;
static const double PATIENCE = 10.0; /* seconds that it may take to end when asked to */

enum cgs_status cgs_rerun_check(struct cgs_context *context)
{
    return access(program, X_OK) == 0 ? CGS_OK
                                      : cgs_fail(context, CGS_FILE,
                                                 "this program starts itself once more for each of "
                                                 "its tasks, but '%s' cannot be "
                                                 "executed (%s): is /proc mounted?",
                                                 program, strerror(errno));
}

enum cgs_status cgs_rerun_start(struct cgs_context *context, char *const *words, bool prints,
                                struct cgs_rerun *child)
{
    *child = (struct cgs_rerun){0};
    CGS_TRY(cgs_rerun_check(context));
    child->said = cgs_child_output();
    child->printed = prints ? cgs_child_output() : NULL;
    const bool kept = child->said && (child->printed || !prints);
    const int descriptors[] = {-1, kept && prints ? fileno(child->printed) : -1,
                               kept ? fileno(child->said) : -1};
    const int error = kept ? cgs_child_start(program, words, descriptors, 3, &child->pid) : errno;
    if (error != 0) {
        cgs_rerun_release(child);
        return cgs_fail(context, CGS_MEMORY,
                        "no memory, or no process more ('ulimit -u'), to start this program once "
                        "more: %s",
                        strerror(error));
    }
    child->begun = cgs_now();
    return CGS_OK;
}

bool cgs_rerun_ended(struct cgs_rerun *child, double wait, double limit, int *status)
{
    if (cgs_child_gone(child->pid, wait)) {
        *status = cgs_child_end(child->pid, false);
        child->pid = 0;
        return true;
    }
    const double now = cgs_now();
    if (child->asked == 0.0 && (cgs_interrupted() || (limit > 0.0 && now - child->begun > limit))) {
        child->asked = now;
        kill(child->pid, SIGTERM);
    }
    if (child->asked > 0.0 && now - child->asked > PATIENCE)
        kill(-child->pid, SIGKILL);
    return false;
}

int cgs_rerun_await(struct cgs_rerun *child, double limit)
{
    int status;
    while (!cgs_rerun_ended(child, 0.05, limit, &status))
        ;
    return status;
}

char *cgs_rerun_first_line(const struct cgs_rerun *child)
{
    static const char name[] = "cgsolve: ";
    char line[2048];
    rewind(child->said);
    if (!fgets(line, sizeof line, child->said))
        return NULL;
    line[strcspn(line, "\n")] = '\0';
    const char *text = strncmp(line, name, sizeof name - 1) == 0 ? line + sizeof name - 1 : line;
    return *text ? strdup(text) : NULL;
}

void cgs_rerun_release(struct cgs_rerun *child)
{
    if (child->pid > 0)
        cgs_child_end(child->pid, true);
    if (child->said)
        fclose(child->said);
    if (child->printed)
        fclose(child->printed);
    *child = (struct cgs_rerun){0};
}
