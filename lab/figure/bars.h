/* Figures of kernels that were timed against each other: panels of bars, the same kernels in the
 * same order in each. Series: cgsolve's own, the vendor's, the user's. */
#pragma once

#include <stddef.h>

#include "core/setup/machine.h"

enum cgs_bar_series { CGS_BAR_OURS, CGS_BAR_VENDOR, CGS_BAR_YOURS };

/* A kernel. Figures are 0 where they are not known. */
struct cgs_bar {
    char name[192];
    enum cgs_bar_series series;
    bool failed;                      /* a name without a bar */
    double median, least, most;       /* seconds */
    double rate, attainable, speedup; /* a second panel with what could be reached, and a third */
};

struct cgs_bars {
    const char *title, *subtitle;
    const char *time;                    /* what took it: "one product" */
    const char *rate_title, *rate_label; /* of the second panel: "Bandwidth ...", with unit */
    const char *speedup_title;           /* of the third, which is left out where nobody has one */
    struct cgs_bar *bars;                /* sorted by time here; failed ones last */
    int count;
};

/* On what, how (`how`: a phrase), by which program: a subtitle. */
void cgs_bars_describe_run(const struct cgs_machine *machine, int threads, const char *how,
                           const char *date, char *text, size_t size);

/* Draws into `path`: statuses of cgs_plot_write. CGS_USAGE: there is no bar. */
enum cgs_status cgs_bars_plot(struct cgs_context *context, const struct cgs_bars *bars,
                              const char *path);
