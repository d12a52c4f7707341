#include "core/run/nullspace.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "base/random.h"
#include "core/run/run_ranks.h"
#include "core/run/run_vectors.h"
#include "core/run/steps.h"
#include "matrix/definite.h"
#include "solver/cg/cg_create.h"

/* ||A v|| / ||v|| over that of a random vector, which rounding may leave of 0. */
static const double ROUNDING = 1e-8, ROUNDING_SINGLE = 1e-4;

/* A length over that of all which is rounding alone. */
static const double NOTHING = 1e-13;

/* A vector of a file must have this much, of its length, that is not along those before it. */
static const double INDEPENDENT = 1e-8;

enum { VECTORS_MOST = 6 };

/* ---- along the null space: sums of products with its vectors ---- */

/* Computes the means on the parts, or on all rows. */
static enum cgs_status sum_constants(struct cgs_run *run, const double *values, double *along)
{
    const struct cgs_nullspace *space = &run->nullspace;
    if (!space->part) {
        CGS_TRY(cgs_run_ranks_sum(run, values, NULL, &along[0]));
        along[0] /= (double)cgs_run_all_rows(run);
        return CGS_OK;
    }
    memset(along, 0, (size_t)space->count * sizeof *along);
    for (int64_t i = 0; i < run->rows; i++)
        if (space->part[i] >= 0)
            along[space->part[i]] += values[i];
    for (int64_t c = 0; c < space->count; c++)
        along[c] /= (double)space->size[c];
    return CGS_OK;
}

/* products: room for `rows` numbers. */
static enum cgs_status sum_products(struct cgs_run *run, const double *values, double *products,
                                    double *along)
{
    for (int64_t c = 0; c < run->nullspace.count; c++) {
        const double *v = run->nullspace.vector + c * run->rows;
        for (int64_t i = 0; i < run->rows; i++)
            products[i] = v[i] * values[i];
        CGS_TRY(cgs_run_ranks_sum(run, products, NULL, &along[c]));
    }
    return CGS_OK;
}

/* Computes the coefficients of `values` along the vectors of the null space; those of constants are
 * means. */
static enum cgs_status measure(struct cgs_run *run, const double *values, double *along)
{
    double *products = NULL;
    if (!run->nullspace.vector)
        return sum_constants(run, values, along);
    enum cgs_status status =
        cgs_comm_agree(run->context, cgs_alloc(run->context, run->rows, sizeof *products,
                                               "products with a null space", (void **)&products));
    if (status == CGS_OK)
        status = sum_products(run, values, products, along);
    cgs_free(run->context, products);
    return status;
}

/* Adds `times` the part with these coefficients to the values. */
static void add_part(const struct cgs_run *run, double times, const double *along, double *values)
{
    const struct cgs_nullspace *space = &run->nullspace;
    if (space->vector) {
        for (int64_t c = 0; c < space->count; c++)
            for (int64_t i = 0; i < run->rows; i++)
                values[i] += times * along[c] * space->vector[c * run->rows + i];
        return;
    }
    for (int64_t i = 0; i < run->rows; i++) {
        const int64_t part = space->part ? space->part[i] : 0;
        if (part >= 0)
            values[i] += times * along[part];
    }
}

/* Returns the length of the part with these coefficients. */
static double length_of(const struct cgs_run *run, const double *along)
{
    const struct cgs_nullspace *space = &run->nullspace;
    double sum = 0.0;
    for (int64_t c = 0; c < space->count; c++)
        sum += along[c] * along[c] *
               (space->vector ? 1.0
                : space->part ? (double)space->size[c]
                              : (double)cgs_run_all_rows(run));
    return sqrt(sum);
}

static double squared(double value)
{
    return value * value;
}

static enum cgs_status norm_of(struct cgs_run *run, const double *values, double *norm)
{
    CGS_TRY(cgs_run_ranks_sum(run, values, squared, norm));
    *norm = sqrt(*norm);
    return CGS_OK;
}

/* ---- finding it ---- */

void cgs_run_release_nullspace(struct cgs_run *run)
{
    struct cgs_nullspace *space = &run->nullspace;
    cgs_free(run->context, space->part);
    cgs_free(run->context, space->size);
    cgs_free(run->context, space->vector);
    *space = (struct cgs_nullspace){0};
}

/* Counts the rows of each part. */
static enum cgs_status count_parts(struct cgs_run *run)
{
    struct cgs_nullspace *space = &run->nullspace;
    CGS_TRY(cgs_alloc(run->context, space->count, sizeof *space->size, "parts of the matrix",
                      (void **)&space->size));
    memset(space->size, 0, (size_t)space->count * sizeof *space->size);
    for (int64_t i = 0; i < run->rows; i++)
        if (space->part[i] >= 0)
            space->size[space->part[i]]++;
    return CGS_OK;
}

/* Finds parts on which constants solve A x = 0, by the entries. */
static enum cgs_status find_parts(struct cgs_run *run)
{
    struct cgs_nullspace *space = &run->nullspace;
    CGS_TRY(cgs_matrix_find_null_parts(run->context, &run->drawn, &space->part, &space->count));
    space->proven = true;
    return count_parts(run);
}

/* Makes the vectors of the file orthonormal, by Gram and Schmidt, twice each. */
static enum cgs_status make_orthonormal(struct cgs_run *run, int64_t vectors)
{
    struct cgs_nullspace *space = &run->nullspace;
    double along[VECTORS_MOST];
    for (int64_t c = 0; c < vectors; c++) {
        double *v = space->vector + c * run->rows, before, norm;
        CGS_TRY(norm_of(run, v, &before));
        for (int time = 0; time < 2; time++) {
            space->count = c;
            CGS_TRY(measure(run, v, along));
            add_part(run, -1.0, along, v);
        }
        CGS_TRY(norm_of(run, v, &norm));
        if (!(norm > INDEPENDENT * before))
            return cgs_fail(run->context, CGS_FILE,
                            "'%s': vector %" PRId64 " %s: expected vectors that are independent",
                            run->settings->nullspace, c + 1,
                            before > 0.0 ? "is a sum of those before it" : "is 0");
        for (int64_t i = 0; i < run->rows; i++)
            v[i] /= norm;
    }
    space->count = vectors;
    return CGS_OK;
}

static enum cgs_status take_file(struct cgs_run *run)
{
    int64_t vectors;
    CGS_TRY(cgs_run_read_nullspace(run, &vectors, &run->nullspace.vector));
    if (vectors > VECTORS_MOST)
        return cgs_fail(run->context, CGS_FILE,
                        "'%s' has %" PRId64 " vectors: expected at most %d that A takes to 0",
                        run->settings->nullspace, vectors, VECTORS_MOST);
    return make_orthonormal(run, vectors);
}

/* Finds constants: on the parts that have them, on all rows where entries are out of reach. */
static enum cgs_status find_constants(struct cgs_run *run, bool asked)
{
    struct cgs_nullspace *space = &run->nullspace;
    const bool entries = run->drawn.fill && run->input.kind != CGS_INPUT_CALLBACK &&
                         run->input.kind != CGS_INPUT_DEVICE;
    bool all = false;
    if (entries)
        CGS_TRY(cgs_matrix_adds_up_to_zero(run->context, &run->drawn, &all));
    if (entries && !run->context->comm && (all || asked))
        CGS_TRY(find_parts(run));
    else if (all || (asked && !entries))
        *space = (struct cgs_nullspace){.count = 1, .proven = all};
    if (asked && space->count == 0)
        return cgs_fail(run->context, CGS_USAGE,
                        "\1nullspace=constant, but constants do not solve A x = 0%s: no part of "
                        "the rows adds up to 0; leave it out, or name a file of vectors that do",
                        run->context->comm ? " on all rows" : "");
    return CGS_OK;
}

/* Returns true if constants on all rows are all of it. */
static bool constants_alone(const struct cgs_run *run)
{
    const struct cgs_nullspace *space = &run->nullspace;
    return space->count == 1 && !space->vector &&
           (!space->part || space->size[0] == run->drawn.rows);
}

enum cgs_status cgs_run_find_nullspace(struct cgs_run *run)
{
    const char *asked = run->settings->nullspace;
    struct cgs_nullspace *space = &run->nullspace;
    cgs_run_release_nullspace(run);
    run->report->nullspace = (struct cgs_nullspace_facts){0};
    if (run->input.kind == CGS_INPUT_BOX || (asked && strcmp(asked, "none") == 0))
        return CGS_OK;
    cgs_run_enter(run, CGS_PHASE_ASSEMBLE);
    const bool file = cgs_nullspace_file(run->settings) != NULL;
    CGS_TRY(
        cgs_comm_agree(run->context, file ? take_file(run) : find_constants(run, asked != NULL)));
    run->report->nullspace =
        (struct cgs_nullspace_facts){.dimension = space->count,
                                     .constants = constants_alone(run),
                                     .asked = asked != NULL,
                                     .vectors = space->vector != NULL,
                                     .bytes = space->vector ? space->count * (int64_t)sizeof(double)
                                              : space->part ? (int64_t)sizeof *space->part
                                                            : 0};
    cgs_run_enter(run, CGS_PHASE_STARTUP);
    return CGS_OK;
}

/* ---- testing it ---- */

/* Computes ||A x|| / ||x|| of x in run->host. */
static enum cgs_status stretch(struct cgs_run *run, double *ratio)
{
    double before, after;
    CGS_TRY(norm_of(run, run->host, &before));
    CGS_TRY(cgs_run_put(run, cgs_cg_solution(run->cg)));
    CGS_TRY(cgs_run_multiply(run));
    CGS_TRY(cgs_comm_agree(run->context, cgs_run_get(run, cgs_cg_rhs(run->cg))));
    CGS_TRY(norm_of(run, run->host, &after));
    *ratio = before > 0.0 ? after / before : 0.0;
    return CGS_OK;
}

enum cgs_status cgs_run_test_nullspace(struct cgs_run *run)
{
    const struct cgs_nullspace *space = &run->nullspace;
    const bool single = run->settings->precision == CGS_PRECISION_F32;
    double other, ratio;
    if (space->count == 0 || space->proven)
        return CGS_OK;
    CGS_TRY(cgs_run_take_host(run));
    for (int64_t i = 0; i < run->rows; i++)
        run->host[i] = cgs_random((uint64_t)cgs_run_row(run, i));
    CGS_TRY(stretch(run, &other));
    for (int64_t c = 0; c < space->count; c++) {
        const double one = 1.0;
        memset(run->host, 0, (size_t)run->rows * sizeof *run->host);
        if (space->vector)
            memcpy(run->host, space->vector + c * run->rows, (size_t)run->rows * sizeof *run->host);
        else
            add_part(run, 1.0, &one, run->host);
        CGS_TRY(stretch(run, &ratio));
        if (!(ratio <= (single ? ROUNDING_SINGLE : ROUNDING) * other))
            return cgs_fail(run->context, CGS_USAGE,
                            "\1nullspace=%s: A does not take vector %" PRId64
                            " to 0: ||A v|| / ||v|| is %.1e, and %.1e of a random vector",
                            run->settings->nullspace, c + 1, ratio, other);
    }
    return run->op.domain.ops->set(&run->op.domain, run->machine.queue, NULL, 0.0,
                                   cgs_cg_solution(run->cg));
}

/* ---- b and x ---- */

/* Takes the part along the null space off run->host, twice, since the first sum is rounded; what
 * rounding leaves of a vector along it is 0. */
static enum cgs_status project(struct cgs_run *run, double *along,
                               struct cgs_nullspace_facts *facts)
{
    double norm, left;
    CGS_TRY(norm_of(run, run->host, &norm));
    CGS_TRY(measure(run, run->host, along));
    facts->outside = norm > 0.0 ? length_of(run, along) / norm : 0.0;
    facts->taken = facts->asked || facts->outside <= fmax(run->settings->tol, NOTHING);
    if (!facts->taken)
        return CGS_OK;
    add_part(run, -1.0, along, run->host);
    CGS_TRY(measure(run, run->host, along));
    add_part(run, -1.0, along, run->host);
    CGS_TRY(norm_of(run, run->host, &left));
    if (left <= NOTHING * norm)
        memset(run->host, 0, (size_t)run->rows * sizeof *run->host);
    return CGS_OK;
}

/* Allocates a number for each vector of the null space; owned by the caller. */
static enum cgs_status take_coefficients(struct cgs_run *run, double **along)
{
    return cgs_comm_agree(run->context,
                          cgs_alloc(run->context, run->nullspace.count, sizeof **along,
                                    "coefficients along a null space", (void **)along));
}

enum cgs_status cgs_run_switch_centre(struct cgs_run *run)
{
    const struct cgs_caller *caller = run->report->external.caller;
    const bool balanced = run->nullspace.count > 0 ? run->report->nullspace.taken
                                                   : !caller || !caller->rhs; /* a box's own */
    return run->precond.centre ? cgs_centre_switch(run->precond.centre, balanced) : CGS_OK;
}

enum cgs_status cgs_run_fit_rhs(struct cgs_run *run)
{
    struct cgs_nullspace_facts *facts = &run->report->nullspace;
    double *along = NULL;
    if (run->nullspace.count == 0)
        return cgs_run_switch_centre(run);
    CGS_TRY(cgs_run_take_host(run));
    CGS_TRY(take_coefficients(run, &along));
    enum cgs_status status = cgs_comm_agree(run->context, cgs_run_get(run, cgs_cg_rhs(run->cg)));
    if (status == CGS_OK)
        status = project(run, along, facts);
    cgs_free(run->context, along);
    CGS_TRY(status);
    CGS_TRY(cgs_run_switch_centre(run));
    return facts->taken ? cgs_run_put(run, cgs_cg_rhs(run->cg)) : CGS_OK;
}

/* Gives x in run->host the part along the null space that u has, or none. */
static enum cgs_status shift(struct cgs_run *run, double *along, double *u)
{
    CGS_TRY(measure(run, run->host, along));
    add_part(run, -1.0, along, run->host);
    if (!u)
        return CGS_OK;
    for (int64_t i = 0; i < run->rows; i++)
        u[i] = cgs_random((uint64_t)cgs_run_row(run, i));
    CGS_TRY(measure(run, u, along));
    add_part(run, 1.0, along, run->host);
    return CGS_OK;
}

enum cgs_status cgs_run_fit_solution(struct cgs_run *run)
{
    const char *rhs = run->settings->rhs;
    const bool random =
        !cgs_external_rhs(&run->report->external) && rhs && strcmp(rhs, "random") == 0;
    double *along = NULL, *u = NULL;
    if (!run->report->nullspace.taken)
        return CGS_OK;
    CGS_TRY(take_coefficients(run, &along));
    enum cgs_status status =
        cgs_comm_agree(run->context, cgs_run_get(run, cgs_cg_solution(run->cg)));
    if (status == CGS_OK && random)
        status = cgs_comm_agree(run->context, cgs_alloc(run->context, run->rows, sizeof *u,
                                                        "known solution", (void **)&u));
    if (status == CGS_OK)
        status = shift(run, along, u);
    cgs_free(run->context, u);
    cgs_free(run->context, along);
    return status == CGS_OK ? cgs_run_put(run, cgs_cg_solution(run->cg)) : status;
}
