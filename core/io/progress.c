#include "core/io/progress.h"

#include <math.h>

#include "base/clock.h"
#include "base/plain.h"
#include "core/io/format.h"
#include "core/io/interrupt.h"
#include "core/io/page.h"
#include "core/io/terminal.h"

/* Part of the digits from which on the rest is foretold: residuals fall by about the same factor in
 * each iteration. */
static const double SOON = 0.1;

void cgs_progress_start(struct cgs_progress_view *view, FILE *file, bool verbose)
{
    const bool terminal = cgs_terminal_obeys(file);
    *view = (struct cgs_progress_view){.file = verbose || terminal ? file : NULL,
                                       .terminal = terminal,
                                       .pause = terminal ? 0.1 : 1.0,
                                       .shown = -1e9};
}

/* Around a line of the terminal that replaces the one before: what is too long for it is cut (no
 * automatic margin meanwhile), or each would leave its beginning behind. */
static void begin_line(const struct cgs_progress_view *view, FILE *file)
{
    if (view->terminal)
        cgs_terminal_tell(file, "\r\033[?7l");
}

static void end_line(const struct cgs_progress_view *view, FILE *file)
{
    if (view->terminal)
        cgs_terminal_tell(file, "\033[K\033[?7h");
    else
        fputc('\n', file);
    fflush(file);
}

bool cgs_progress_reading(struct cgs_progress_view *view, const char *name, int64_t done,
                          int64_t all)
{
    const double now = cgs_now();
    if (cgs_interrupted())
        return false;
    if (view->shown < 0.0 && view->terminal)
        view->shown = now; /* what is read at once needs no line */
    if (!view->file || now - view->shown < view->pause)
        return true;
    view->shown = now;
    view->open = view->terminal;
    begin_line(view, view->file);
    if (all > 0)
        fprintf(view->file, "reading: %3.0f %% of %s", 100.0 * (double)done / (double)all,
                cgs_plain(name, (cgs_name){0}));
    else /* a pipe */
        fprintf(view->file, "reading: %s of %s", cgs_bytes_text(done, (cgs_text){0}),
                cgs_plain(name, (cgs_name){0}));
    end_line(view, view->file);
    return true;
}

/* Writes the iteration, the residual and, where it can be foretold, the time left; in few words
 * on a narrow terminal. */
static void write_iteration(const struct cgs_progress_view *view,
                            const struct cgs_progress *progress, double seconds)
{
    enum { NARROW = 72 };
    const bool brief = cgs_page_width() < NARROW;
    const double done = log(progress->relative_residual) / log(progress->tolerance);
    fprintf(view->file,
            brief ? "%5lld: %.1e (to %.0e)" : "iteration %6lld, relative residual %.2e (to %.0e)",
            (long long)progress->iteration, progress->relative_residual, progress->tolerance);
    if (view->terminal && done > SOON && done < 1.0)
        fprintf(view->file, brief ? ", %s left" : ", about %s left",
                cgs_seconds_text(seconds * (1.0 - done) / done, (cgs_text){0}));
}

bool cgs_progress_show(void *user, const struct cgs_progress *progress)
{
    struct cgs_progress_view *view = user;
    const double now = cgs_now();
    if (cgs_interrupted())
        return false;
    if (progress->iteration < view->iteration || view->begun == 0.0)
        view->begun = now;
    view->iteration = progress->iteration;
    if (view->shown < 0.0 && view->terminal)
        view->shown = now; /* what ends at once needs no line */
    if (!view->file || now - view->shown < view->pause)
        return true;
    view->shown = now;
    view->open = view->terminal;
    begin_line(view, view->file);
    write_iteration(view, progress, now - view->begun);
    end_line(view, view->file);
    return true;
}

void cgs_progress_end(struct cgs_progress_view *view)
{
    if (view->open)
        cgs_terminal_tell(view->file, "\r\033[K");
    view->open = false;
}
