/* The same bits in every run, with any number of threads, in any launch mode: solution and history,
 * for every kernel of the device that promises it. */
#include <string.h>

#include "base/random.h"
#include "fem/assembly.h"
#include "kernels/registry.h"
#include "solver/cg/cg_result.h"
#include "tests/support/solve.h"

enum { N = CHECK_SMALL ? 7 : 21, ROWS = N * N * N, MOST_ITERATIONS = 1000 };

/* The ways to compute the same: the first twice. */
static const struct {
    int threads, check_every;
    enum cgs_launch launch;
} ways[] = {
    {1, 0, CGS_LAUNCH_PLAIN}, {1, 0, CGS_LAUNCH_PLAIN}, {2, 5, CGS_LAUNCH_PLAIN},
    {3, 1, CGS_LAUNCH_PLAIN}, {7, 3, CGS_LAUNCH_PLAIN}, {3, 7, CGS_LAUNCH_GRAPH},
    {1, 1, CGS_LAUNCH_GRAPH},
};
enum { WAYS = sizeof ways / sizeof *ways };

static void check_ways(struct solve how, bool graphs, const struct cgs_row_source *source,
                       const double *b)
{
    static double x[2][ROWS], history[2][MOST_ITERATIONS + 1];
    int64_t iterations = 0;
    for (int w = 0; w < WAYS; w += CHECK_SMALL ? 2 : 1) {
        const int now = w > 0;
        if (ways[w].launch == CGS_LAUNCH_GRAPH && !graphs)
            continue;
        context.threads = ways[w].threads;
        how.settings.check_every = ways[w].check_every;
        how.settings.launch = ways[w].launch;
        const struct cgs_cg_result r = solve(&how, source, b, x[now], history[now]);
        ck_assert_int_eq(cgs_outcome_status(r.outcome), CGS_OK);
        if (w == 0) {
            iterations = r.iterations;
            ck_assert_int_ge(iterations, 10);
            continue;
        }
        ck_assert_int_eq(r.iterations, iterations);
        ck_assert_mem_eq(x[0], x[1], sizeof x[0]);
        ck_assert_mem_eq(history[0], history[1], (size_t)(iterations + 1) * sizeof(double));
    }
}

TEST(all_ways_give_the_same_bits)
{
    const struct cgs_mesh mesh = cgs_mesh_cube(N, CGS_GAUSS, 1.0);
    struct cgs_row_source source;
    static double b[ROWS];
    int count, tried = 0;
    const struct cgs_kernel_entry *kernels = cgs_kernels(&count);
    ck_assert_int_eq(cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source), CGS_OK);
    for (int i = 0; i < ROWS; i++)
        b[i] = cgs_random((uint64_t)i);
    for (int k = 0; k < count; k++)
        for (int p = 0; p < CGS_PRECISIONS; p++) {
            const struct cgs_kernel *kernel = kernels[k].tables[p];
            if (kernels[k].device != CHECK_DEVICE || !kernel || !kernel->reproducible)
                continue;
            if (kernel->reference && p == CGS_PRECISION_F64V32)
                continue; /* a vendor's wants one precision */
            if (!takes_q1(&kernels[k]))
                continue; /* not of this matrix */
            struct solve how = usual();
            how.format = kernels[k].format;
            how.kernel = kernels[k].name;
            how.precision = (enum cgs_precision)p;
            if (p == CGS_PRECISION_F32)
                how.settings.tolerance = 1e-5;
            const bool graphs = CHECK_DEVICE == CGS_CUDA && kernel->capturable;
            for (int jacobi = 0; jacobi < (CHECK_SMALL ? 1 : 2); jacobi++) {
                how.jacobi = jacobi;
                check_ways(how, graphs, &source, b);
                tried++;
            }
        }
    ck_assert_int_ge(tried, 12);
    cgs_assembler_release(&context, &source);
}

int main(void)
{
    return solve_tests("same bits");
}
