/* A handle of several ranks: who they are, a matrix that they have a part of each, and how they
 * begin a call.
 *
 * Calls that exchange something are made by all ranks. Each first says what it is about to do (a
 * "meeting", one gathering of some numbers), so that ranks that are not about to do the same learn
 * that, instead of waiting for each other; what a rank has found wrong before goes to all of them
 * there. After that the ranks agree on each step (cgs_comm_agree), as in the program. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/library/handle.h"
#include "core/library/library_call.h"
#include "core/library/library_ranks.h"

static const char *const names[] = {
    [CGS_LIBRARY_DISTRIBUTED] = "cgsolve_matrix_distributed",
    [CGS_LIBRARY_VALUES] = "cgsolve_matrix_values",
    [CGS_LIBRARY_SETUP] = "cgsolve_setup",
    [CGS_LIBRARY_SOLVE] = "cgsolve_solve",
    [CGS_LIBRARY_SOLVE_FROM] = "cgsolve_solve_from",
    [CGS_LIBRARY_SOLVE_MANY] = "cgsolve_solve_many",
    [CGS_LIBRARY_STEP] = "cgsolve_step",
    [CGS_LIBRARY_STEP_RHS] = "cgsolve_step_rhs",
};

/* ---- who they are ---- */

void cgs_library_leave(struct cgsolve *s)
{
    if (s->ranks.comm)
        s->ranks.release(s->ranks.comm);
    s->ranks = (struct cgs_join){0};
}

static bool same_build(const struct cgs_join_build *build)
{
    const struct cgs_join_build own = CGS_JOIN_BUILD;
    return build->version == own.version && build->comm_bytes == own.comm_bytes &&
           build->ops_bytes == own.ops_bytes;
}

enum cgsolve_status cgsolve_join_ranks(struct cgsolve *s, const char *function,
                                       enum cgsolve_status status, const char *why,
                                       const struct cgs_join *join)
{
    struct cgs_library_call call;
    if (!cgs_library_begin(&call, s, function))
        return CGSOLVE_USAGE;
    if (status != CGSOLVE_OK)
        cgs_fail(&s->call,
                 status == CGSOLVE_USAGE    ? CGS_USAGE
                 : status == CGSOLVE_MEMORY ? CGS_MEMORY
                                            : CGS_LOST,
                 "%s", why);
    else if (!same_build(&join->build))
        cgs_fail(
            &s->call, CGS_USAGE,
            "libcgsolve (%d) and libcgsolve_mpi (%d) are of different builds: expected both of one "
            "installation",
            CGSOLVE_VERSION, join->build.version);
    else {
        cgs_library_forget_matrix(s);
        cgs_library_leave(s);
        s->ranks = *join;
    }
    return cgs_library_end(&call);
}

enum cgs_status cgs_library_check_ranks(struct cgsolve *s)
{
    if (!cgs_library_comm(s))
        return CGS_OK;
    if (s->ranks.one_thread && s->call.threads > 1)
        return cgs_fail(
            &s->call, CGS_USAGE,
            "MPI was initialised for a process of one thread (MPI_Init), and the library "
            "computes by %d: call MPI_Init_thread with MPI_THREAD_FUNNELED, or set the "
            "option threads to 1",
            s->call.threads);
    if (s->matrix == CGS_LIBRARY_CRS || s->matrix == CGS_LIBRARY_OPERATOR)
        return cgs_fail(&s->call, CGS_USAGE,
                        "the matrix is that of one process, and the handle has %d ranks: expected "
                        "cgsolve_matrix_distributed, _box or _file",
                        s->ranks.comm->size);
    if (s->precondition.apply)
        return cgs_fail(
            &s->call, CGS_USAGE,
            "a preconditioner of the caller's does not work on several ranks: expected the "
            "option precond");
    const char *partition = s->values[CGS_OPTION_partition];
    if (partition && strcmp(partition, "contiguous") != 0)
        return cgs_fail(&s->call, CGS_USAGE,
                        "partition = %s renumbers rows, so that b and x would not be the caller's: "
                        "expected contiguous",
                        partition);
    return CGS_OK;
}

/* ---- meetings ---- */

/* FNV-1a. */
static uint64_t hash(uint64_t sum, const char *text)
{
    for (; *text; text++)
        sum = (sum ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return sum;
}

static const uint64_t HASH_START = UINT64_C(0xcbf29ce484222325);

/* A number that a double holds. */
static double as_real(uint64_t sum)
{
    return (double)(sum >> 12);
}

/* Returns what ranks have to have in common of an option that is set: its value; that it is
 * there, of one that names a device of the rank's own; nothing of the number of threads, which
 * changes no bit and no message. NULL: nothing, or it is not set. */
static const char *common_part(const struct cgsolve *s, int id)
{
    return id == CGS_OPTION_threads || !s->values[id] ? NULL
           : id == CGS_OPTION_device                  ? "set"
                                                      : s->values[id];
}

static double hash_option(const struct cgsolve *s, int id)
{
    return common_part(s, id) ? as_real(hash(HASH_START, common_part(s, id))) : -1.0;
}

/* Sums up all that ranks have to have in common. */
static double hash_settings(const struct cgsolve *s)
{
    uint64_t sum = HASH_START;
    for (int i = 0; i < CGS_OPTIONS; i++)
        if (common_part(s, i))
            sum = hash(hash(hash(sum, cgs_option_table[i].name), "="), common_part(s, i));
    const char more[] = {(char)('a' + s->matrix), s->caller.measure ? 'm' : '-',
                         s->look ? 'l' : '-', (char)('0' + s->caller.near.count), '\0'};
    return as_real(hash(sum, more));
}

/* Numbers that each rank tells the others before a call: the function, its settings, how much of
 * a set-up is to be made anew, how many right-hand sides, which vectors it has, whether it has
 * rows. */
enum { FUNCTION, SETTINGS, STALE, COUNT, GIVEN, ROWS, SAID };
enum { GIVEN_B = 1, GIVEN_X = 2, NOT_READY = CGS_RUN_STALE_VALUES + 1 };

static void speak(const struct cgsolve *s, const struct cgs_library_meeting *meeting, double *mine)
{
    mine[FUNCTION] = meeting->function;
    mine[SETTINGS] = hash_settings(s);
    mine[STALE] = s->ready ? (int)s->stale : NOT_READY;
    mine[COUNT] = (double)meeting->count;
    mine[GIVEN] = (meeting->b ? GIVEN_B : 0) + (meeting->x ? GIVEN_X : 0);
    mine[ROWS] = s->matrix != CGS_LIBRARY_PART || s->part.rows > 0;
}

static void gather(struct cgs_comm *comm, const double *mine, int numbers, double *all)
{
    int counts[CGS_RANKS_MOST];
    for (int r = 0; r < comm->size; r++)
        counts[r] = numbers;
    comm->ops->gather(comm, mine, counts, all);
}

/* Returns the first rank that says something else than rank 0, or the number of ranks. */
static int differs(const struct cgs_comm *comm, int what, const double *all)
{
    for (int r = 1; r < comm->size; r++)
        if (all[r * SAID + what] != all[what])
            return r;
    return comm->size;
}

static enum cgs_status compare_functions(struct cgsolve *s, const double *all)
{
    const struct cgs_comm *comm = s->ranks.comm;
    const int r = differs(comm, FUNCTION, all);
    if (r < comm->size)
        return cgs_fail(
            &s->call, CGS_USAGE,
            "rank %d is in %s and rank 0 in %s: all ranks make the same calls, in the same "
            "order",
            r, names[(int)all[r * SAID + FUNCTION]], names[(int)all[FUNCTION]]);
    const int k = differs(comm, COUNT, all);
    if (k < comm->size)
        return cgs_fail(&s->call, CGS_USAGE,
                        "rank %d has count = %.0f and rank 0 %.0f: expected the same", k,
                        all[k * SAID + COUNT], all[COUNT]);
    return CGS_OK;
}

/* Names the option in which rank r differs from rank 0. */
static enum cgs_status name_difference(struct cgsolve *s, int r)
{
    struct cgs_comm *comm = s->ranks.comm;
    double all[CGS_RANKS_MOST];
    for (int i = 0; i < CGS_OPTIONS; i++) {
        const double mine = hash_option(s, i);
        gather(comm, &mine, 1, all);
        if (all[r] != all[0])
            return cgs_fail(
                &s->call, CGS_USAGE,
                "rank %d has another value of the option '%s' than rank 0: set the same on "
                "all ranks",
                r, cgs_option_table[i].name);
    }
    return cgs_fail(
        &s->call, CGS_USAGE,
        "rank %d has another kind of matrix, or of cgsolve_measure, cgsolve_watch_solution or "
        "cgsolve_near_null, than rank 0: make the same calls on all ranks",
        r);
}

/* Makes all ranks make anew what one of them has to. */
static void level_set_ups(struct cgsolve *s, const double *all)
{
    double most = 0.0;
    for (int r = 0; r < s->ranks.comm->size; r++)
        most = fmax(most, all[r * SAID + STALE]);
    if (most == NOT_READY)
        cgs_library_close(s);
    else
        s->stale = (enum cgs_run_stale)most;
}

/* Stands for vectors of a rank without rows. */
static const double nothing;

/* Takes the vector that others have and this rank, without rows, has not. */
static enum cgs_status take_vector(struct cgsolve *s, const char *name, int flag, const double *all,
                                   const double **vector)
{
    int with = -1, without = -1;
    for (int r = s->ranks.comm->size - 1; r >= 0; r--) {
        const bool given = ((int)all[r * SAID + GIVEN] & flag) != 0;
        with = given ? r : with;
        without = !given && all[r * SAID + ROWS] != 0.0 ? r : without;
    }
    if (with >= 0 && without >= 0)
        return cgs_fail(
            &s->call, CGS_USAGE,
            "rank %d: %s is NULL, and rank %d has one: expected one on all ranks that have "
            "rows, or on none",
            without, name, with);
    if (with >= 0 && !*vector)
        *vector = &nothing;
    return CGS_OK;
}

/* Fails where no operation can be called: the other ranks may wait. */
static enum cgs_status check_comm(struct cgsolve *s)
{
    const struct cgs_comm *comm = s->ranks.comm;
    const char *why = s->ranks.unfit(comm);
    if (why)
        return cgs_fail(&s->call, CGS_USAGE, "%s", why);
    if (comm->lost)
        return cgs_fail(&s->call, CGS_LOST,
                        "%s, in an earlier call: the handle's communicator is of no more use",
                        comm->why);
    return CGS_OK;
}

enum cgs_status cgs_library_meet(struct cgsolve *s, enum cgs_status status,
                                 struct cgs_library_meeting *meeting)
{
    struct cgs_comm *comm = cgs_library_comm(s);
    double mine[SAID], all[CGS_RANKS_MOST * SAID];
    if (!comm)
        return status;
    if (comm->lost || s->ranks.unfit(comm))
        return status == CGS_OK ? check_comm(s) : status;
    comm->ended = comm->stopping = comm->stop_asked = false;
    s->call.comm = comm;
    speak(s, meeting, mine);
    gather(comm, mine, SAID, all);
    if (comm->lost)
        return cgs_comm_agree(&s->call, status);
    CGS_TRY(compare_functions(s, all)); /* the same on all ranks, as all that follows */
    CGS_TRY(cgs_comm_agree(&s->call, status));
    const int r = differs(comm, SETTINGS, all);
    if (r < comm->size)
        return name_difference(s, r);
    if (meeting->function == CGS_LIBRARY_DISTRIBUTED || meeting->function == CGS_LIBRARY_VALUES)
        return CGS_OK;
    level_set_ups(s, all);
    CGS_TRY(take_vector(s, "b", GIVEN_B, all, &meeting->b));
    return take_vector(s, "x", GIVEN_X, all, &meeting->x);
}

/* ---- a matrix of which each has a part ---- */

static const int64_t no_pointers[] = {0};

/* Checks what can be said without looking at entries. */
static enum cgs_status check_part(struct cgsolve *s, const struct cgs_caller_part *part,
                                  int64_t nonzeros)
{
    struct cgs_context *context = &s->call;
    if (part->rows < 0 || part->first < 0 || part->first > INT32_MAX || part->rows > INT32_MAX)
        return cgs_fail(context, CGS_FILE,
                        "first = %" PRId64 ", rows = %" PRId64 ": expected 0 ... 2147483647",
                        part->first, part->rows);
    if (nonzeros < 0)
        return cgs_fail(context, CGS_FILE, "nonzeros = %" PRId64 ": expected 0 or more", nonzeros);
    if (!part->pointers || (nonzeros > 0 && (!part->column || !part->value)))
        return cgs_fail(context, CGS_USAGE, "%s is NULL: expected an array",
                        !part->pointers ? "pointers"
                        : !part->column ? "columns"
                                        : "values");
    CGS_TRY(cgs_library_check_place(context, "pointers", part->pointers,
                                    (part->rows + 1) * (int64_t)sizeof *part->pointers, ""));
    CGS_TRY(cgs_library_check_place(context, "columns", part->column,
                                    nonzeros * (int64_t)sizeof *part->column, ""));
    return cgs_library_check_place(context, "values", part->value,
                                   nonzeros * (int64_t)sizeof *part->value, "");
}

/* Sets the cuts of the ranks' rows, which must follow one another. */
static enum cgs_status find_cuts(struct cgsolve *s, const struct cgs_caller_part *part)
{
    enum { FIRST, COUNTED, NUMBERS };
    struct cgs_comm *comm = cgs_library_comm(s);
    const double mine[NUMBERS] = {(double)part->first, (double)part->rows};
    double alone[NUMBERS], gathered[CGS_RANKS_MOST * NUMBERS], *all = comm ? gathered : alone;
    const int ranks = comm ? comm->size : 1;
    if (comm)
        gather(comm, mine, NUMBERS, all);
    else
        memcpy(alone, mine, sizeof mine);
    CGS_TRY(cgs_comm_agree(&s->call, CGS_OK));
    s->cuts[0] = 0;
    for (int r = 0; r < ranks; r++) {
        const int64_t first = (int64_t)all[r * NUMBERS + FIRST];
        const int64_t rows = (int64_t)all[r * NUMBERS + COUNTED];
        if (rows > 0 && first != s->cuts[r])
            return cgs_fail(&s->call, CGS_FILE,
                            "rank %d: its rows begin at %" PRId64
                            ", and those of the ranks before end "
                            "before %" PRId64 ": expected %s, in rank order from row 0",
                            r, first, s->cuts[r],
                            first < s->cuts[r] ? "ranges without rows in common"
                                               : "ranges without rows between them");
        s->cuts[r + 1] = s->cuts[r] + rows;
    }
    if (s->cuts[ranks] < 1 || s->cuts[ranks] > INT32_MAX)
        return cgs_fail(&s->call, CGS_FILE,
                        "the ranks have %" PRId64 " rows together: expected 1 ... 2147483647",
                        s->cuts[ranks]);
    return CGS_OK;
}

static enum cgs_status take_part(struct cgsolve *s, struct cgs_caller_part *part, int64_t nonzeros)
{
    struct cgs_library_meeting meeting = {.function = CGS_LIBRARY_DISTRIBUTED};
    CGS_TRY(cgs_library_meet(s, check_part(s, part, nonzeros), &meeting));
    CGS_TRY(find_cuts(s, part));
    const struct cgs_comm *comm = cgs_library_comm(s);
    part->whole = s->cuts[comm ? comm->size : 1];
    part->first = s->cuts[comm ? comm->rank : 0];
    part->cuts = s->cuts;
    cgs_library_share(s, nonzeros);
    CGS_TRY(cgs_comm_agree(&s->call, cgs_part_check(&s->call, part, nonzeros)));
    s->part = *part;
    s->nonzeros = nonzeros;
    return CGS_OK;
}

enum cgsolve_status cgsolve_matrix_distributed(struct cgsolve *s, int64_t first, int64_t rows,
                                               int64_t nonzeros, const int64_t *pointers,
                                               const int64_t *columns, const double *values)
{
    struct cgs_library_call call;
    struct cgs_caller_part part = {.first = first,
                                   .rows = rows,
                                   .pointers = rows == 0 ? no_pointers : pointers,
                                   .column = columns,
                                   .value = values};
    if (!cgs_library_begin(&call, s, "cgsolve_matrix_distributed"))
        return CGSOLVE_USAGE;
    cgs_library_forget_matrix(s);
    cgs_library_compute(s->call.threads);
    take_part(s, &part, nonzeros);
    return cgs_library_end_matrix(&call, CGS_LIBRARY_PART);
}

static enum cgs_status check_values(struct cgsolve *s, int64_t nonzeros, const double *values)
{
    if (nonzeros != s->nonzeros)
        return cgs_fail(&s->call, CGS_USAGE,
                        "%" PRId64 " values, but the pattern has %" PRId64
                        " entries on this rank: expected as many",
                        nonzeros, s->nonzeros);
    if (!values && nonzeros > 0)
        return cgs_fail(&s->call, CGS_USAGE, "values is NULL: expected an array");
    CGS_TRY(cgs_library_check_place(&s->call, "values", values, nonzeros * (int64_t)sizeof *values,
                                    ""));
    return cgs_library_check_finite(&s->call, nonzeros, values);
}

enum cgs_status cgs_library_part_values(struct cgsolve *s, int64_t nonzeros, const double *values)
{
    struct cgs_library_meeting meeting = {.function = CGS_LIBRARY_VALUES};
    CGS_TRY(cgs_library_meet(s, check_values(s, nonzeros, values), &meeting));
    s->part.value = values;
    s->stale = CGS_RUN_STALE_VALUES;
    return CGS_OK;
}
