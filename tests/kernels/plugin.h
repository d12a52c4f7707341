/* Shared by the tests of a user's own kernels: one of tests/user_kernels/ on a matrix. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "kernels/plugin/plugin.h"
#include "kernels/plugin/worker.h"
#include "matrix/layout.h"
#include "tests/support/support.h"

struct work {
    struct cgs_plugin *plugin;
    const struct cgs_kernel_entry *entry;
    const struct cgs_kernel *kernel;
    enum cgs_number number;
    struct plain *plain;
    struct cgs_row_source source;
    struct cgs_matrix matrix;
    struct cgs_space domain, range;
    void *self;
};

static inline void open_file(const char *file, struct work *w)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("CGS_SRCDIR") ? getenv("CGS_SRCDIR") : ".", file);
    must(cgs_plugin_open(&bed.context, path, 0, &w->plugin));
    w->entry = cgs_plugin_isolated(w->plugin);
    ck_assert_str_eq(w->entry->name, path);
}

static inline void lay_out(struct work *w, int which, int32_t chunk, int32_t sigma)
{
    const enum cgs_precision precision =
        w->number == CGS_F32 ? CGS_PRECISION_F32 : CGS_PRECISION_F64;
    w->plain = plain_make(which, PLAIN_RANDOM);
    w->source = plain_source(w->plain);
    w->kernel = w->entry->tables[precision];
    ck_assert_ptr_nonnull(w->kernel);
    must(cgs_matrix_create(&bed.context, &w->source, w->entry->format, chunk, sigma, &w->matrix));
    w->domain = bed_space(w->number, w->plain->columns);
    w->range = bed_space(w->number, w->plain->rows);
}

static inline void take_down(struct work *w)
{
    if (w->self)
        w->kernel->steps.release(w->self);
    w->self = NULL;
    cgs_matrix_release(&bed.context, &w->matrix);
    if (w->plain)
        plain_free(w->plain);
    cgs_plugin_close(&bed.context, w->plugin);
}
