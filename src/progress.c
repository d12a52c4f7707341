#include "src/progress.h"

#include <unistd.h>

#include "base/clock.h"
#include "src/format.h"
#include "src/interrupt.h"

void cgs_progress_start(struct cgs_progress_view *view, FILE *file, bool verbose)
{
    const bool terminal = file && isatty(fileno(file));
    *view = (struct cgs_progress_view){.file = verbose ? file : NULL,
                                       .reading = verbose || terminal ? file : NULL,
                                       .terminal = terminal,
                                       .pause = terminal ? 0.1 : 1.0,
                                       .shown = -1e9};
}

/* Around a line of the terminal that replaces the one before: what is too long for it is cut (no
 * automatic margin meanwhile), or each would leave its beginning behind. */
static const char *before(const struct cgs_progress_view *view)
{
    return view->terminal ? "\r\033[?7l" : "";
}

static const char *after(const struct cgs_progress_view *view)
{
    return view->terminal ? "\033[K\033[?7h" : "\n";
}

bool cgs_progress_reading(struct cgs_progress_view *view, const char *name, int64_t done,
                          int64_t all)
{
    const double now = cgs_now();
    if (cgs_interrupted())
        return false;
    if (view->shown < 0.0 && view->terminal)
        view->shown = now; /* what is read at once needs no line */
    if (!view->reading || now - view->shown < view->pause)
        return true;
    view->shown = now;
    view->open = view->terminal;
    if (all > 0)
        fprintf(view->reading, "%sreading: %3.0f %% of %s%s", before(view),
                100.0 * (double)done / (double)all, name, after(view));
    else /* a pipe */
        fprintf(view->reading, "%sreading: %s of %s%s", before(view),
                cgs_bytes_text(done, (cgs_text){0}), name, after(view));
    fflush(view->reading);
    return true;
}

bool cgs_progress_show(void *user, const struct cgs_progress *progress)
{
    struct cgs_progress_view *view = user;
    const double now = cgs_now();
    if (cgs_interrupted())
        return false;
    if (!view->file || now - view->shown < view->pause)
        return true;
    view->shown = now;
    view->open = view->terminal;
    fprintf(view->file, "%siteration %6lld of %lld at most, relative residual %.3e (to %.0e)%s",
            before(view), (long long)progress->iteration, (long long)progress->max_iterations,
            progress->relative_residual, progress->tolerance, after(view));
    fflush(view->file);
    return true;
}

void cgs_progress_end(struct cgs_progress_view *view)
{
    if (view->open)
        fputs("\r\033[K", view->reading);
    view->open = false;
}
