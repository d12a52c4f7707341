/* Operands A and B of cgsolve spgemm: checked against the memory available, then read or assembled
 * by rows on the host. */
#include <math.h>

#include "base/memory.h"
#include "core/io/format.h"
#include "core/io/interrupt.h"
#include "core/options/options.h"
#include "core/setup/asked.h"
#include "fem/rows.h"
#include "matrix/layout.h"
#include "matrix/random.h"
#include "src/spgemm/multiply_open.h"

/* State of opening an operand. */
struct opening {
    struct cgs_multiply *m;
    const char *name; /* "A" */
    FILE *verbose;
};

/* Fails if the operand does not fit together with A; `plan`: memory of the operand. */
static enum cgs_status check_room(const struct opening *o, struct cgs_plan *plan)
{
    const struct cgs_multiply *m = o->m;
    cgs_text needed, there;
    char smaller[64] = "";
    if (m->a)
        cgs_crs_plan(plan, m->a->crs->rows, m->a->crs->pointers[m->a->crs->rows]);
    if (plan->total[CGS_HOST] <= m->room.bytes[CGS_HOST])
        return CGS_OK;
    if (!m->options->settings.matrix && !m->options->settings.given[CGS_OPTION_random] &&
        !m->options->settings.given[CGS_OPTION_cells])
        snprintf(
            smaller, sizeof smaller, ", such as --N=%.0f",
            fmax(1.0, floor((double)m->options->settings.n * cbrt((double)m->room.bytes[CGS_HOST] /
                                                                  (double)plan->total[CGS_HOST]))));
    return cgs_fail(m->context, CGS_MEMORY,
                    "matrix %s needs %s of host memory%s, but %s %s: take a smaller matrix%s",
                    o->name, cgs_bytes_text(plan->total[CGS_HOST], needed), m->a ? " beside A" : "",
                    cgs_bytes_text(m->room.bytes[CGS_HOST], there),
                    m->room.limited[CGS_HOST] ? "is the limit (--memory-limit)" : "is free",
                    smaller);
}

static enum cgs_status accept_file(void *user, struct cgs_context *context,
                                   const struct cgs_market *market, const struct cgs_plan *plan)
{
    struct cgs_plan reading = *plan;
    (void)context;
    (void)market;
    return check_room(user, &reading);
}

static bool file_progress(void *user, int64_t done, int64_t all)
{
    const struct opening *o = user;
    if (o->verbose && all > 0)
        fprintf(o->verbose, "spgemm: read %.0f %% of matrix %s\n",
                100.0 * (double)done / (double)all, o->name);
    return !cgs_interrupted();
}

static enum cgs_status open_left(struct opening *o, const struct cgs_market_settings *settings)
{
    struct cgs_multiply *m = o->m;
    const struct cgs_options *options = m->options;
    const struct cgs_input_settings asked =
        cgs_input_asked(&options->settings, &(struct cgs_external){0});
    struct cgs_plan plan = {0};
    switch (asked.kind) {
    case CGS_INPUT_BOX:
        cgs_crs_plan(&plan, cgs_mesh_rows(&asked.mesh), cgs_mesh_nonzeros(&asked.mesh));
        break;
    case CGS_INPUT_RANDOM:
        cgs_crs_plan(
            &plan, options->settings.random.n,
            cgs_random_expected(options->settings.random.n, options->settings.random.density));
        break;
    case CGS_INPUT_FILE:
    case CGS_INPUT_MEMORY:
    case CGS_INPUT_DEVICE:
    case CGS_INPUT_CALLBACK:
        break; /* checked by accept_file; already in memory */
    }
    CGS_TRY(check_room(o, &plan));
    return cgs_input_open(m->context, &asked, settings, &m->left.input);
}

/* Generates the operand's rows, with sizes and row statistics. */
static enum cgs_status draw(struct cgs_multiply *m, struct cgs_operand *operand)
{
    const struct cgs_crs *crs = &operand->input.crs;
    if (operand->input.kind == CGS_INPUT_BOX) {
        CGS_TRY(cgs_crs_generate(m->context, &operand->input.source, &operand->drawn));
        crs = &operand->drawn;
    }
    const struct cgs_row_source source = cgs_crs_source(crs);
    CGS_TRY(cgs_matrix_create(m->context, &source, CGS_CRS, 1, 1, &operand->facts));
    cgs_free(m->context, operand->facts.pointers);
    operand->facts.pointers = NULL;
    operand->facts.source = NULL;
    operand->crs = crs;
    return CGS_OK;
}

/* Fails unless A has as many columns as B has rows. */
static enum cgs_status check_fit(struct cgs_multiply *m)
{
    const struct cgs_crs *a = m->a->crs, *b = m->b->crs;
    cgs_text shape[4];
    if (a->rows > INT32_MAX)
        return cgs_fail(m->context, CGS_USAGE,
                        "A has %s rows, but products of matrices take 2 147 483 647 at most",
                        cgs_count_text(a->rows, shape[0]));
    if (a->columns == b->rows)
        return CGS_OK;
    return cgs_fail(m->context, CGS_USAGE,
                    "A B needs as many columns of A as B has rows, but A is %s x %s and B %s%s x "
                    "%s: name %s by --matrix-b=FILE%s",
                    cgs_count_text(a->rows, shape[0]), cgs_count_text(a->columns, shape[1]),
                    m->a == m->b ? "is A itself, " : "", cgs_count_text(b->rows, shape[2]),
                    cgs_count_text(b->columns, shape[3]),
                    m->a == m->b ? "another matrix" : "one that fits",
                    m->options->settings.matrix ? "" : ", or A by --matrix=FILE");
}

enum cgs_status cgs_multiply_open(struct cgs_multiply *m, FILE *verbose)
{
    struct opening o = {.m = m, .name = "A", .verbose = verbose};
    const struct cgs_market_settings settings = {
        .accept = accept_file, .progress = file_progress, .user = &o};
    CGS_TRY(open_left(&o, &settings));
    CGS_TRY(draw(m, &m->left));
    m->a = &m->left;
    if (m->options->matrix_b) {
        o.name = "B";
        CGS_TRY(cgs_input_open_file(m->context, m->options->matrix_b, &settings, &m->right.input));
        CGS_TRY(draw(m, &m->right));
        m->b = &m->right;
    } else {
        m->b = m->a;
    }
    m->size = (struct cgs_spgemm_size){.rows = m->a->crs->rows,
                                       .columns = m->b->crs->columns,
                                       .inner = m->a->crs->columns,
                                       .a = m->a->crs->pointers[m->a->crs->rows],
                                       .b = m->b->crs->pointers[m->b->crs->rows]};
    return check_fit(m);
}
