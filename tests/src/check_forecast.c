/* core/plan: what a run will hold is exact, the choices named in a refusal fit and the next
 * larger ones do not, and a refused run allocates nothing. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/plan/fitting.h"
#include "core/setup/sell_box.h"
#include "fem/assembly.h"
#include "matrix/layout.h"
#include "tests/support/asked.h"

/* The matrix as it is made has the counts that were forecast. */
static void check_matrix(const char *box, int chunk)
{
    struct asked asked;
    char words[96];
    struct cgs_matrix matrix, made;
    struct cgs_row_source source;
    snprintf(words, sizeof words, "%s --format=sell --chunk=%d", box, chunk);
    ask(&asked, words);
    const struct cgs_spec forecast = cgs_spec_asked(&asked.options.settings, &asked.machine, NULL);
    cgs_spec_matrix(&forecast, &matrix);
    const struct cgs_mesh mesh = cgs_mesh_asked(&asked.options.settings);
    must(cgs_assembler_create(&bed.context, &mesh, CGS_GATHER_SHARED, &source));
    must(cgs_matrix_create(&bed.context, &source, CGS_SELL, chunk, 1, &made));
    ck_assert_int_eq(matrix.rows, made.rows);
    ck_assert_int_eq(matrix.nonzeros, made.nonzeros);
    ck_assert_int_eq(matrix.stored, made.stored);
    ck_assert_int_eq(matrix.units, made.units);
    ck_assert_int_eq(matrix.statistics.longest, made.statistics.longest);
    ck_assert_int_eq(matrix.statistics.shortest, made.statistics.shortest);
    for (int r = 0; r < CGS_ROUNDINGS; r++)
        ck_assert_int_eq(matrix.statistics.rounded[r], made.statistics.rounded[r]);
    cgs_matrix_release(&bed.context, &made);
    cgs_assembler_release(&bed.context, &source);
    dismiss(&asked);
}

TEST(matrices_are_as_forecast)
{
    static const int chunks[] = {1, 3, 8, 16, 32, 100};
    static const char *const boxes[] = {
        "--cells=2x2x9", "--cells=2x9x2", "--cells=9x2x2",  "--cells=2x5x9",
        "--cells=6x2x8", "--cells=8x5x2", "--cells=3x4x12", "--cells=13x3x4 --size=1x2x0.5"};
    char cube[32];
    for (size_t k = 0; k < sizeof chunks / sizeof *chunks; k++) {
        for (int n = 1; n <= 11; n++) {
            snprintf(cube, sizeof cube, "--N=%d", n);
            check_matrix(cube, chunks[k]);
        }
        for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++)
            check_matrix(boxes[b], chunks[k]);
    }
}

/* The entries that SELL-C-sigma stores of the box, row by row: lengths, sorted in windows, the
 * longest of each chunk. */
static int64_t walked(const struct cgs_mesh *mesh, int64_t chunk, int64_t sigma)
{
    const int64_t *n = mesh->n;
    const int64_t rows = n[0] * n[1] * n[2];
    int32_t *length = must_have((size_t)rows * sizeof *length);
    int64_t stored = 0;
    for (int64_t i = 0; i < rows; i++) {
        const int64_t at[3] = {i % n[0], i / n[0] % n[1], i / (n[0] * n[1])};
        length[i] = 1;
        for (int k = 0; k < 3; k++)
            length[i] *= mesh->open[k] ? 3 : 1 + (at[k] > 0) + (at[k] < n[k] - 1);
    }
    for (int64_t first = 0, last; first < rows; first = last) {
        int64_t count[28] = {0}, place = first;
        last = rows - first < sigma ? rows : first + sigma;
        for (int64_t i = first; i < last; i++)
            count[length[i]]++;
        for (int32_t l = 27; l > 0; l--)
            for (int64_t k = 0; k < count[l]; k++)
                length[place++] = l;
    }
    for (int64_t first = 0; first < rows; first += chunk) {
        int32_t longest = 0;
        for (int64_t i = first; i < rows && i < first + chunk; i++)
            longest = length[i] > longest ? length[i] : longest;
        stored += chunk * longest;
    }
    free(length);
    return stored;
}

TEST(entries_of_the_box_are_counted)
{
    static const int64_t boxes[][3] = {{1, 1, 1},    {2, 2, 2},    {3, 3, 3},    {4, 4, 4},
                                       {13, 13, 13}, {32, 32, 32}, {37, 37, 37}, {50, 50, 50},
                                       {1, 1, 50},   {50, 1, 1},   {1, 37, 20},  {20, 1, 37},
                                       {37, 20, 1},  {19, 35, 49}, {64, 3, 2},   {2, 70, 40}};
    static const int32_t chunks[] = {1, 3, 8, 32, 100, 4097};
    static const int32_t sigmas[] = {1, 2, 7, 64, 1000, 32768, INT32_MAX};
    static const double size[3] = {1.0, 1.0, 1.0};
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++) {
        struct cgs_mesh mesh = cgs_mesh_box(boxes[b], size, CGS_GAUSS, 1.0);
        for (int k = 0; k < 3 && b % 2 == 1; k++) /* of every second box one direction or two */
            mesh.open[k] = boxes[b][k] > 3 && (int)(b / 2 % 3) != k ? CGS_PERIODIC : 0;
        for (size_t c = 0; c < sizeof chunks / sizeof *chunks; c++)
            for (size_t s = 0; s < sizeof sigmas / sizeof *sigmas; s++)
                ck_assert_msg(cgs_box_stored(&mesh, chunks[c], sigmas[s]) ==
                                  walked(&mesh, chunks[c], sigmas[s]),
                              "%d x %d x %d, C = %d, sigma = %d", (int)boxes[b][0],
                              (int)boxes[b][1], (int)boxes[b][2], (int)chunks[c], (int)sigmas[s]);
    }
}

/* The run with a variant's own options and N, planned anew. */
static bool fits_with(const char *words, const char *more, int64_t n, const struct cgs_room *room,
                      int64_t *bytes)
{
    struct asked asked;
    struct cgs_plan plan;
    char all[1024];
    snprintf(all, sizeof all, "%s %s --N=%lld", words, more, (long long)n);
    ask(&asked, all);
    const struct cgs_spec forecast = cgs_spec_asked(&asked.options.settings, &asked.machine, NULL);
    cgs_plan_run(&forecast, &plan);
    dismiss(&asked);
    *bytes = plan.total[CGS_HOST];
    return cgs_plan_fits(&plan, room);
}

/* The bytes on the host of such a box. */
static int64_t box_with(const char *words, const char *more, const int64_t cells[3])
{
    struct asked asked;
    struct cgs_plan plan;
    char all[1024];
    snprintf(all, sizeof all, "%s %s --cells=%lldx%lldx%lld", words, more, (long long)cells[0],
             (long long)cells[1], (long long)cells[2]);
    ask(&asked, all);
    const struct cgs_spec forecast = cgs_spec_asked(&asked.options.settings, &asked.machine, NULL);
    cgs_plan_run(&forecast, &plan);
    dismiss(&asked);
    return plan.total[CGS_HOST];
}

/* The largest N of every variant fits when typed as said, and the next one does not. */
TEST(largest_is_the_largest)
{
    static const char *const cases[] = {
        "--N=64",
        "--N=64 --format=crs --precond=jacobi",
        "--N=64 --precision=single --max-iterations=100000",
        "--N=300 --kernel=crs_row",
        "--N=64 --chunk=32",
        "--N=64 --format=none --deform=0.1 --precision=single",
    };
    static const int64_t rooms[] = {2000000, 100000000, INT64_C(30000000000)};
    static const int counts[] = {5, 5, 4, 2, 2, 4}; /* kernel and chunk bind the format */
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
            struct asked asked;
            struct cgs_variant variants[CGS_VARIANTS];
            const struct cgs_room room = {.bytes = {[CGS_HOST] = rooms[r]}};
            int64_t bytes;
            ask(&asked, cases[c]);
            const int count =
                cgs_variants(&asked.options.settings, &asked.machine, NULL, &room, variants);
            ck_assert_int_eq(count, counts[c]);
            ck_assert_str_eq(variants[0].options, "");
            for (int i = 0; i < count; i++) {
                const struct cgs_variant *v = &variants[i];
                if (v->largest > 0)
                    ck_assert(fits_with(cases[c], v->options, v->largest, &room, &bytes));
                if (v->largest > 0 && !v->fits)
                    ck_assert_int_eq(bytes, v->bytes[CGS_HOST]);
                ck_assert(!fits_with(cases[c], v->options, v->largest + 1, &room, &bytes));
                ck_assert(v->fits ==
                          fits_with(cases[c], v->options, asked.options.settings.n, &room, &bytes));
                if (v->fits)
                    ck_assert_int_eq(bytes, v->bytes[CGS_HOST]);
            }
            dismiss(&asked);
        }
}

/* The largest box of the proportions of one that is cut by --cells, and none with more of the
 * cells of its longest direction, which comes first here. */
TEST(largest_box_is_the_largest)
{
    static const char *const cases[] = {"--size=1x2x0.5", "--format=crs --precond=mg",
                                        "--format=none --precond=mg --size=1x10x1",
                                        "--precision=single --precond=mg --coarse=galerkin"};
    static const int64_t rooms[] = {8000000, 100000000, INT64_C(30000000000)};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
            struct asked asked;
            struct cgs_variant variants[CGS_VARIANTS];
            const struct cgs_room room = {.bytes = {[CGS_HOST] = rooms[r]}};
            char words[256];
            snprintf(words, sizeof words, "%s --cells=64x32x16", cases[c]);
            ask(&asked, words);
            const int count =
                cgs_variants(&asked.options.settings, &asked.machine, NULL, &room, variants);
            for (int i = 0; i < count; i++) {
                const struct cgs_variant *v = &variants[i];
                int64_t more[3];
                ck_assert(v->by_cells);
                if (v->largest == 0)
                    continue;
                ck_assert_int_eq(v->cells[0], v->largest + 1);
                ck_assert_double_le(fabs((double)v->cells[0] / 2 - (double)v->cells[1]), 0.5);
                ck_assert_double_le(fabs((double)v->cells[0] / 4 - (double)v->cells[2]), 0.5);
                const int64_t bytes = box_with(cases[c], v->options, v->cells);
                ck_assert_int_le(bytes, rooms[r]);
                if (!v->fits)
                    ck_assert_int_eq(bytes, v->bytes[CGS_HOST]);
                for (int k = 0; k < 3; k++) /* rounded as the message rounds */
                    more[k] = ((v->cells[0] + 1) * (64 >> k) + 32) / 64;
                ck_assert_int_gt(box_with(cases[c], v->options, more), rooms[r]);
            }
            dismiss(&asked);
        }
}

/* The variants named, in order, for a run that needs 97 MB. */
TEST(refusals_name_the_nearest)
{
    static const struct {
        const char *words;
        int64_t room;
        const char *named[4];
    } cases[] = {
        {"--N=64",
         80000000,
         {"what fits: --precision=single (", ", --format=none (", ", --format=sellc ("}},
        {"--cells=129x65x33 --size=1x2x0.5",
         20000000,
         {"what fits: --format=none (", ", --precision=single --cells=", ", --cells="}},
        {"--N=64 --format=crs",
         98000000, /* what takes less; single precision comes first */
         {"what fits: --precision=single (", ", --format=none (", ", --format=sellc ("}},
        {"--N=64", 20000000, {"what fits: --format=none (", ", --precision=single --N=", ", --N="}},
        {"--N=64 --precision=single", 20000000, {"what fits: --format=none (", ", --N="}},
        {"--N=8 --max-iterations=10000000", 20000000, {"what fits: --max-iterations=2"}},
        {"--N=64", 1000, {"what fits: nothing: not even --N=1"}},
        {"--N=64", 100000000, {NULL}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct asked asked;
        struct cgs_plan plan;
        struct cgs_variant variants[CGS_VARIANTS];
        const struct cgs_room room = {.bytes = {[CGS_HOST] = cases[c].room},
                                      .limited = {[CGS_HOST] = true}};
        ask(&asked, cases[c].words);
        const struct cgs_spec forecast =
            cgs_spec_asked(&asked.options.settings, &asked.machine, NULL);
        cgs_plan_run(&forecast, &plan);
        const int count =
            cgs_variants(&asked.options.settings, &asked.machine, NULL, &room, variants);
        const enum cgs_status status =
            cgs_fitting_check(&asked.context, &asked.options.settings, &asked.machine, NULL,
                              variants, count, &plan, &room);
        ck_assert_int_eq(status, cases[c].named[0] ? CGS_MEMORY : CGS_OK);
        const char *at = asked.context.message;
        for (int i = 0; i < 4 && cases[c].named[i]; i++) {
            const char *found = strstr(at, cases[c].named[i]);
            ck_assert_msg(found, "'%s' is not (in order) in: %s", cases[c].named[i],
                          asked.context.message);
            at = found + strlen(cases[c].named[i]);
        }
        dismiss(&asked);
    }
}

/* A refused run takes a few MB at most, whatever it was asked for. */
TEST(refused_runs_allocate_nothing)
{
    const char *program = getenv("CGSOLVE");
    struct rusage usage;
    int status;
    if (!program)
        return;
    const pid_t pid = fork();
    if (pid == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(99);
        execl(program, program, "--backend=cpu", "--threads=2", "--N=1200", "--memory-limit=1G",
              (char *)NULL);
        _exit(98);
    }
    ck_assert_int_gt(pid, 0);
    ck_assert_int_eq(wait4(pid, &status, 0, &usage), pid);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 5);
    ck_assert_int_lt(usage.ru_maxrss, 100000); /* kB; a sanitizer's own included */
}

int main(void)
{
    return bed_tests("forecast", 300);
}
