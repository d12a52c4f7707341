#include "core/library/handle.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/library/library_call.h"
#include "core/library/library_step.h"
#include "core/options/options_value.h"
#include "core/options/table.h"
#include "core/options/user_problem.h"

struct cgs_comm *cgs_library_comm(const struct cgsolve *s)
{
    return s->ranks.comm && s->ranks.comm->size > 1 ? s->ranks.comm : NULL;
}

void cgs_library_forget(struct cgsolve *s)
{
    if (s->reported) {
        cgs_free(&s->context, s->report.result.history);
        cgs_free(&s->context, s->report.algebraic);
        cgs_free(&s->context, s->report.solution);
        cgs_free(&s->context, s->report.probes);
    }
    s->report = (struct cgs_report){0};
    s->reported = false;
}

void cgs_library_close(struct cgsolve *s)
{
    cgs_library_step_release(&s->run, &s->stepping);
    if (s->open)
        cgs_run_release(&s->run);
    s->open = s->ready = false;
    s->stale = CGS_RUN_FRESH;
}

bool cgs_library_of_cg(enum cgs_option_id id)
{
    return id == CGS_OPTION_tol || id == CGS_OPTION_max_iterations || id == CGS_OPTION_rhs;
}

void cgs_library_renew_solver(struct cgsolve *s)
{
    if (s->matrix == CGS_LIBRARY_BOX) {
        cgs_library_close(s);
        s->rows = 0;
    } else if (s->stale == CGS_RUN_FRESH)
        s->stale = CGS_RUN_STALE_SOLVER;
}

enum cgs_status cgs_library_keep(struct cgsolve *s, enum cgs_option_id id, const char *value)
{
    const char *before = s->values[id];
    const bool adds = value && before && cgs_kind_repeats(cgs_option_table[id].kind);
    char *copy = NULL;
    if (value && before && !adds && strcmp(value, before) == 0)
        return CGS_OK;
    if (value && !(copy = adds ? cgs_lines_join(before, value) : strdup(value)))
        return cgs_fail(&s->call, CGS_MEMORY, "no memory for option '%s'",
                        cgs_option_table[id].name);
    if (cgs_library_of_cg(id) && value) {
        cgs_library_renew_solver(s);
    } else {
        cgs_library_close(s);
        s->rows = 0;
    }
    free(s->values[id]);
    s->values[id] = copy;
    return CGS_OK;
}

void cgs_library_forget_arrays(struct cgsolve *s)
{
    s->crs = (struct cgs_crs){0};
    s->part = (struct cgs_caller_part){0};
    cgs_library_rows_release(&s->own);
    s->nonzeros = 0;
    s->on_device = false;
}

void cgs_library_forget_matrix(struct cgsolve *s)
{
    cgs_library_close(s);
    cgs_library_forget_arrays(s);
    s->matrix = CGS_LIBRARY_NONE;
    s->rows = 0;
    s->refused[0] = '\0';
    cgs_library_keep(s, CGS_OPTION_matrix, NULL);
}

int64_t cgs_library_unknowns_of_box(struct cgs_context *context, const struct cgsolve *s)
{
    static const enum cgs_option_id shape[] = {CGS_OPTION_n,    CGS_OPTION_cells, CGS_OPTION_order,
                                               CGS_OPTION_grid, CGS_OPTION_face,  CGS_OPTION_let};
    struct cgs_options box;
    int64_t n[3] = {0, 0, 0};
    enum cgs_status status = cgs_options_start(context, &box);
    for (size_t i = 0; i < sizeof shape / sizeof *shape && status == CGS_OK; i++)
        if (s->values[shape[i]] && (shape[i] != CGS_OPTION_let || box.settings.face))
            status = cgs_options_take(context, &box, shape[i], s->values[shape[i]]);
    if (status == CGS_OK && cgs_ask_user_problem(context, &box.settings) == CGS_OK)
        cgs_settings_unknowns(&box.settings, n);
    cgs_options_release(&box);
    return n[0] * n[1] * n[2];
}

int64_t cgs_library_unknowns(const struct cgsolve *s)
{
    struct cgs_context quiet; /* the set-up will say why */
    switch (s->matrix) {
    case CGS_LIBRARY_NONE:
        return 0;
    case CGS_LIBRARY_CRS:
        return s->crs.rows;
    case CGS_LIBRARY_PART:
        return s->part.rows;
    case CGS_LIBRARY_OPERATOR:
        return s->product.rows;
    case CGS_LIBRARY_FILE:
        return s->rows;
    case CGS_LIBRARY_BOX:
        if (cgs_library_comm(s))
            return s->rows;
        break;
    }
    cgs_context_init(&quiet);
    return cgs_library_unknowns_of_box(&quiet, s);
}

enum cgsolve_status cgs_library_end_matrix(struct cgs_library_call *call,
                                           enum cgs_library_matrix matrix)
{
    struct cgsolve *s = call->solver;
    if (s->call.status == CGS_OK)
        s->matrix = matrix;
    else
        snprintf(s->refused, sizeof s->refused, "%.*s", (int)sizeof s->refused - 1,
                 s->call.message);
    return cgs_library_end(call);
}
