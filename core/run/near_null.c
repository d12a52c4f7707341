#include "core/run/near_null.h"

#include <inttypes.h>
#include <string.h>

#include "base/comm.h"
#include "base/memory.h"
#include "base/probe.h"
#include "core/precond/rigid_body.h"
#include "core/run/run_caller.h"
#include "core/run/run_vectors.h"
#include "core/run/steps.h"
#include "kernels/near_null.h"

/* Returns those of the library's caller; count 0: there are none. */
static struct cgs_caller_vectors of_caller(const struct cgs_run *run)
{
    const struct cgs_caller *caller = run->report->external.caller;
    return caller ? caller->near : (struct cgs_caller_vectors){0};
}

/* Keeps the coordinates of this rank's nodes, of x, y and z of all. */
static void keep_nodes(const struct cgs_run *run, int64_t nodes, double *x)
{
    const int64_t first = cgs_run_first_row(run) / CGS_BODY_DIMENSIONS,
                  here = run->rows / CGS_BODY_DIMENSIONS;
    for (int d = 0; d < CGS_BODY_DIMENSIONS; d++)
        memmove(x + d * here, x + d * nodes + first, (size_t)here * sizeof *x);
}

static enum cgs_status take_coordinates(struct cgs_run *run)
{
    const int64_t rows = cgs_run_all_rows(run), nodes = rows / CGS_BODY_DIMENSIONS;
    const char *file = run->settings->coordinates;
    int64_t columns = 0;
    double *x = NULL;
    if (rows % CGS_BODY_DIMENSIONS != 0)
        return cgs_fail(run->context, CGS_USAGE,
                        "\1coordinates: the matrix has %" PRId64
                        " rows, not three for each node: give \1near-null",
                        rows);
    enum cgs_status status = cgs_run_read_vectors(run, "\1coordinates", file, nodes, &columns, &x);
    if (status == CGS_OK && columns != CGS_BODY_DIMENSIONS)
        status = cgs_fail(run->context, CGS_FILE,
                          "'%s' has %" PRId64 " column%s, expected x, y and z of each node", file,
                          columns, columns == 1 ? "" : "s");
    if (status == CGS_OK && !cgs_body_centre(nodes, x))
        status = cgs_fail(run->context, CGS_FILE, "'%s': all nodes are at one point", file);
    if (status == CGS_OK)
        status = cgs_alloc(run->context, cgs_bytes(run->rows, CGS_BODY_MODES), sizeof *run->near,
                           "rigid-body modes", (void **)&run->near);
    if (status == CGS_OK) {
        keep_nodes(run, nodes, x);
        cgs_body_modes(run->rows / CGS_BODY_DIMENSIONS, x, run->near);
        run->settings->near =
            (struct cgs_near_null_asked){CGS_BODY_MODES, CGS_BODY_DIMENSIONS, run->near};
    }
    cgs_free(run->context, x);
    return status;
}

/* Fails for too many vectors, or one of zeros on all ranks, which call it at once. */
static enum cgs_status check_vectors(struct cgs_run *run, const char *file, int64_t rows,
                                     int64_t count, const double *columns)
{
    const char *of = file ? file : "the caller";
    if (count > CGS_NEAR_MOST)
        return cgs_fail(run->context, CGS_USAGE,
                        "%s has %" PRId64 " near-null vectors, expected at most %d", of, count,
                        CGS_NEAR_MOST);
    for (int64_t k = 0; k < count; k++) {
        int64_t i = 0;
        while (i < rows && columns[k * rows + i] == 0.0)
            i++;
        if (cgs_comm_most(run->context, i < rows ? 1.0 : 0.0) == 0.0)
            return cgs_fail(run->context, CGS_USAGE,
                            "near-null vector %" PRId64 " of %s is 0 in all rows: leave it out",
                            k + 1, of);
    }
    return CGS_OK;
}

/* Fails for vectors of the library's caller that do not fit the run. */
static enum cgs_status check_caller(struct cgs_run *run, const struct cgs_caller_vectors *given)
{
    const struct cgs_settings *o = run->settings;
    const struct cgs_caller_part *part = cgs_external_part(&run->report->external);
    const int64_t rows = part ? part->rows : run->rows;
    if (o->near_null || o->coordinates || o->adaptive > 0)
        return cgs_fail(run->context, CGS_USAGE,
                        "cgsolve_near_null and the option %s both bring near-null vectors: take "
                        "one of them back",
                        o->near_null     ? "near-null"
                        : o->coordinates ? "coordinates"
                                         : "adaptive");
    if (o->precond != CGS_PRECOND_AMG || run->input.kind == CGS_INPUT_BOX)
        return cgs_fail(run->context, CGS_USAGE,
                        "near-null vectors belong to precond = amg of a matrix in arrays or of a "
                        "file, but here is %s: take them back",
                        o->precond != CGS_PRECOND_AMG ? "another preconditioner" : "the box");
    if (given->length != rows)
        return cgs_fail(run->context, CGS_USAGE,
                        "near-null vectors of length %" PRId64 ", but the matrix has %" PRId64
                        " rows%s: expected as many numbers",
                        given->length, rows, run->context->comm ? " here" : "");
    if (given->length > 0 && !cgs_run_caller_there(run, given->numbers) &&
        !cgs_probe_readable(given->numbers,
                            cgs_bytes(given->count * given->length, sizeof(double))))
        return cgs_fail(run->context, CGS_USAGE,
                        "near-null vectors are in memory that neither the host nor the device that "
                        "computes can read: expected an array of one of them");
    return CGS_OK;
}

/* Fails for vectors of zeros, or with numbers that are not finite. Those of a device are copied to
 * be looked at. */
static enum cgs_status look_at_caller(struct cgs_run *run, const struct cgs_caller_vectors *given)
{
    const struct cgs_rows_ops *ops = run->machine.backend->rows;
    const int64_t numbers = given->count * given->length;
    const double *columns = given->numbers;
    double *copy = NULL;
    enum cgs_status status = CGS_OK;
    if (cgs_run_caller_there(run, columns)) {
        CGS_TRY(
            cgs_alloc(run->context, numbers, sizeof *copy, "near-null vectors", (void **)&copy));
        status = ops->settle(run->machine.queue);
        if (status == CGS_OK)
            status = ops->read(run->machine.queue, copy, columns, numbers * (int64_t)sizeof *copy);
        columns = copy;
    }
    if (status == CGS_OK)
        status = cgs_run_caller_check(run, "vectors", numbers, columns);
    status = cgs_comm_agree(run->context, status);
    if (status == CGS_OK)
        status = check_vectors(run, NULL, given->length, given->count, columns);
    cgs_free(run->context, copy);
    return status;
}

/* Moves the vectors of a part to the ranks that have their rows. */
static enum cgs_status move_vectors(struct cgs_run *run, const struct cgs_caller_vectors *given)
{
    enum cgs_status status = CGS_OK;
    if (!run->near)
        status = cgs_alloc(run->context, cgs_bytes(run->rows, given->count), sizeof *run->near,
                           "near-null vectors", (void **)&run->near);
    CGS_TRY(cgs_comm_agree(run->context, status));
    for (int k = 0; k < given->count; k++)
        cgs_run_caller_move(run, given->numbers + k * given->length, run->near + k * run->rows);
    return CGS_OK;
}

enum cgs_status cgs_run_check_near_null(struct cgs_run *run)
{
    const struct cgs_caller_vectors given = of_caller(run);
    if (given.count == 0)
        return CGS_OK;
    CGS_TRY(cgs_comm_agree(run->context, check_caller(run, &given)));
    CGS_TRY(look_at_caller(run, &given));
    return cgs_external_part(&run->report->external) ? move_vectors(run, &given) : CGS_OK;
}

static enum cgs_status check_block(const struct cgs_run *run, int block)
{
    const int64_t rows = cgs_run_all_rows(run);
    if (block == 0 || rows % block == 0)
        return CGS_OK;
    return cgs_fail(run->context, CGS_USAGE,
                    "\1block=%d does not divide the %" PRId64 " rows of the matrix", block, rows);
}

/* Takes the rows of a block of --precond=jacobi. */
static enum cgs_status take_block(struct cgs_run *run)
{
    const struct cgs_settings *o = run->settings;
    const int block = o->given[CGS_OPTION_block] ? (int)o->block : 0;
    if (block > 0 && run->input.kind == CGS_INPUT_BOX)
        return cgs_fail(run->context, CGS_USAGE,
                        "\1block belongs to a matrix in arrays or of a file, but here is the box");
    CGS_TRY(check_block(run, block));
    run->settings->near = (struct cgs_near_null_asked){.block = block};
    return CGS_OK;
}

/* Fails where amg makes no use of vectors; the program has refused it before. */
static enum cgs_status check_adaptive(const struct cgs_run *run)
{
    if (run->settings->precond == CGS_PRECOND_AMG && run->input.kind != CGS_INPUT_BOX)
        return CGS_OK;
    return cgs_fail(run->context, CGS_USAGE,
                    "\1adaptive belongs to \1precond=amg of a matrix in arrays or of a file");
}

static enum cgs_status take_vectors(struct cgs_run *run)
{
    const struct cgs_settings *o = run->settings;
    const struct cgs_caller_vectors given = of_caller(run);
    const int block = o->given[CGS_OPTION_block] ? (int)o->block : 0;
    int64_t count = given.count;
    if (given.count > 0) {
        CGS_TRY(cgs_run_check_near_null(run));
    } else if (o->adaptive > 0) {
        CGS_TRY(check_adaptive(run));
        count = o->adaptive;
    } else {
        CGS_TRY(cgs_run_read_vectors(run, "\1near-null", o->near_null, cgs_run_all_rows(run),
                                     &count, &run->near));
        CGS_TRY(check_vectors(run, o->near_null, run->rows, count, run->near));
    }
    CGS_TRY(check_block(run, block));
    run->settings->near = (struct cgs_near_null_asked){
        (int)count, block, run->near ? run->near : given.numbers};
    return CGS_OK;
}

enum cgs_status cgs_run_take_near_null(struct cgs_run *run)
{
    const struct cgs_settings *o = run->settings;
    run->settings->near = (struct cgs_near_null_asked){0};
    if (!cgs_run_wants_near_null(run) && o->precond == CGS_PRECOND_JACOBI)
        return take_block(run);
    if (!cgs_run_wants_near_null(run)) {
        if (o->given[CGS_OPTION_block]) /* of the library; the program has refused it before */
            return cgs_fail(run->context, CGS_USAGE,
                            "block needs near-null vectors or precond=jacobi: give them, or take "
                            "it back");
        return CGS_OK;
    }
    cgs_run_enter(run, CGS_PHASE_ASSEMBLE);
    CGS_TRY(o->coordinates && of_caller(run).count == 0 ? take_coordinates(run)
                                                        : take_vectors(run));
    cgs_run_enter(run, CGS_PHASE_STARTUP);
    return CGS_OK;
}
