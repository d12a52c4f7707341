#include "bench/peers/peer.h"

#include <jansson.h>
#include <math.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/io/version.h"
#include "fem/load.h"

struct options {
    int64_t n;
    const char *problem, *method, *json, *output;
    double tolerance;
    int max_iterations;
};

_Noreturn void peer_fail(const struct peer *peer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s: ", peer->program);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    MPI_Abort(MPI_COMM_WORLD, 7);
    exit(7);
}

double peer_now(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime();
}

void *peer_room(const struct peer *peer, int64_t n, size_t size)
{
    void *room = malloc((size_t)(n > 0 ? n : 1) * size);
    if (!room)
        peer_fail(peer, "not enough memory for %lld times %zu bytes", (long long)n, size);
    return room;
}

int64_t peer_rows(const struct peer *peer, int first, int last, int32_t *lengths, int32_t *columns,
                  double *values)
{
    int64_t entries = 0;
    peer->source.lengths(&peer->source, first, last, lengths);
    peer->source.fill(&peer->source, first, last, columns, values);
    for (int row = first; row < last; row++)
        entries += lengths[row - first];
    return entries;
}

static const char *value_of(const char *argument, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                           : NULL;
}

static bool parse(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        const char *v;
        if ((v = value_of(argv[i], "--N")))
            options->n = atoll(v);
        else if ((v = value_of(argv[i], "--problem")))
            options->problem = v;
        else if ((v = value_of(argv[i], "--method")))
            options->method = v;
        else if ((v = value_of(argv[i], "--tol")))
            options->tolerance = atof(v);
        else if ((v = value_of(argv[i], "--max-iterations")))
            options->max_iterations = atoi(v);
        else if ((v = value_of(argv[i], "--json")))
            options->json = v;
        else if ((v = value_of(argv[i], "--output")))
            options->output = v;
        else
            return false;
    }
    return options->n > 0 && options->tolerance > 0.0 && options->max_iterations >= 0;
}

static void usage(const char *program, const struct peer_library *library)
{
    fprintf(stderr,
            "usage: %s [--N=63] [--problem=smooth] [--tol=1e-8] [--max-iterations=K] "
            "[--method=a,b] [--json=FILE] [--output=FILE]\n",
            program);
    for (int i = 0; i < library->count; i++)
        fprintf(stderr, "  %-16s %s\n", library->methods[i].name, library->methods[i].description);
}

/* Returns true if the comma-separated list has the word; an empty list has all. */
static bool listed(const char *list, const char *word)
{
    const size_t length = strlen(word);
    if (!list)
        return true;
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, word, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

static void create(struct peer *peer, const struct options *options)
{
    cgs_context_init(&peer->context);
    peer->context.threads = 1; /* parallelism is by ranks */
    MPI_Comm_rank(MPI_COMM_WORLD, &peer->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &peer->ranks);
    peer->problem = cgs_problem_find(options->problem);
    if (!peer->problem || peer->problem->product_rhs || peer->problem->boundary_values)
        peer_fail(peer, "--problem=%s is not among smooth, sine", options->problem);
    if (options->n > 400 || options->n < 2 * peer->ranks)
        peer_fail(peer,
                  "N = %lld is not in %d ... 400: libraries from packages count entries in "
                  "32 bits, and a rank needs two planes",
                  (long long)options->n, 2 * peer->ranks);
    peer->n = (int)options->n;
    peer->tolerance = options->tolerance;
    peer->max_iterations = options->max_iterations > 0 ? options->max_iterations : 20 * peer->n;
    peer->mesh = cgs_mesh_cube(peer->n, CGS_GAUSS, 1.0);
    if (cgs_assembler_create(&peer->context, &peer->mesh, CGS_GATHER_SHARED, &peer->source) !=
        CGS_OK)
        peer_fail(peer, "%s", peer->context.message);

    /* The first ranks have one plane more if the division is uneven, as in PETSc's DMDA. */
    const int each = peer->n / peer->ranks, more = peer->n % peer->ranks;
    const int plane = peer->n * peer->n;
    peer->first_z = each * peer->rank + (peer->rank < more ? peer->rank : more);
    peer->last_z = peer->first_z + each + (peer->rank < more);
    peer->first_row = peer->first_z * plane;
    peer->last_row = peer->last_z * plane;
    peer->b = peer_room(peer, peer->last_row - peer->first_row, sizeof *peer->b);
    peer->x = peer_room(peer, peer->last_row - peer->first_row, sizeof *peer->x);
    if (cgs_problem_load(&peer->context, peer->problem, &peer->mesh, peer->first_row,
                         peer->last_row, peer->b) != CGS_OK)
        peer_fail(peer, "%s", peer->context.message);
}

static void release(struct peer *peer)
{
    cgs_assembler_release(&peer->context, &peer->source);
    free(peer->x);
    free(peer->b);
}

static void write_json(const struct peer *peer, const char *path, json_t *report)
{
    if (!report || json_dump_file(report, path, JSON_INDENT(2)) != 0)
        peer_fail(peer, "cannot write '%s'", path);
}

static json_t *report_of(const struct peer *peer, const struct peer_library *library,
                         const struct peer_method *method, const struct peer_solve *solve,
                         double residual, const struct cgs_errors *errors)
{
    const time_t now = time(NULL);
    char date[32];
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:i, s:I, s:f, s:i, s:b, s:f,"
                     " s:{s:f, s:f, s:f}, s:{s:f, s:f, s:f, s:f}}",
                     "peer", library->name, "version", library->version, "method", method->name,
                     "matrix", method->seven_point ? "7-point" : "Q1 27-point", "date", date,
                     "commit", cgs_commit(), "ranks", peer->ranks, "problem", peer->problem->name,
                     "N", peer->n, "unknowns", (json_int_t)peer->source.rows, "tolerance",
                     peer->tolerance, "iterations", solve->iterations, "converged",
                     residual <= 2.0 * peer->tolerance, "true_relative_residual", residual,
                     "seconds", "assemble", solve->assemble, "setup", solve->setup, "solve",
                     solve->solve, "error", "l2", errors->l2, "nodal_l2", errors->nodal_l2, "max",
                     errors->max, "h1", errors->h1);
}

/* Runs one method and prints its line; returns true if it converged, the same on all ranks. */
static bool run(struct peer *peer, const struct peer_library *library,
                const struct peer_method *method, const struct options *options)
{
    struct peer_solve solve = {0};
    struct cgs_errors errors = {0};
    double residual = 0.0;
    memset(peer->x, 0, (size_t)(peer->last_row - peer->first_row) * sizeof *peer->x);
    method->run(peer, &solve);
    peer_judge(peer, method->seven_point, options->output, &residual, &errors);
    int converged = residual <= 2.0 * peer->tolerance;
    MPI_Bcast(&converged, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (peer->rank != 0)
        return converged;
    printf("%-7s %-14s N = %3d  assemble %7.3f  setup %7.3f  solve %7.3f s  %4d iterations  true "
           "%.2e  nodal L2 %.4e%s\n",
           library->name, method->name, peer->n, solve.assemble, solve.setup, solve.solve,
           solve.iterations, residual, errors.nodal_l2, converged ? "" : "  NOT CONVERGED");
    fflush(stdout);
    if (options->json) {
        json_t *report = report_of(peer, library, method, &solve, residual, &errors);
        write_json(peer, options->json, report);
        json_decref(report);
    }
    return converged;
}

int peer_main(int argc, char **argv, const struct peer_library *library)
{
    struct options options = {.n = 63, .problem = "smooth", .tolerance = 1e-8};
    struct peer peer = {.program = argv[0]};
    int ran = 0, failed = 0;
    if (!parse(argc, argv, &options)) {
        usage(argv[0], library);
        return 1;
    }
    MPI_Init(NULL, NULL);
    create(&peer, &options);
    if (library->begin)
        library->begin();
    for (int i = 0; i < library->count; i++)
        if (listed(options.method, library->methods[i].name)) {
            failed += !run(&peer, library, &library->methods[i], &options);
            ran += 1;
        }
    if (library->end)
        library->end();
    if (ran == 0 && peer.rank == 0)
        usage(argv[0], library);
    release(&peer);
    MPI_Finalize();
    return ran == 0 ? 1 : failed > 0 ? 2 : 0;
}
