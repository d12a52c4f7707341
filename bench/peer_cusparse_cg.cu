/* CG as a user of the vendor's libraries writes it, compared with ours in one run.
 *
 * The peer: CSR by cuSPARSE, vector work by cuBLAS, alpha and beta on the host, as in the vendor's
 * introduction to conjugate gradients: per iteration one SpMV, two dots that come to the host,
 * three axpys and one scal. Ours: cgsolve's CG with SELL and CRS, plain and by graph. All run the
 * same number of iterations on the same Q1 matrix with the same right-hand side, interleaved;
 * medians.
 *
 *     peer_cusparse_cg [--N=64,128,256] [--precision=double,single] [--iterations=50] [--repeats=5]
 *                      [--json=FILE]
 */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/memory.h"
#include "base/random.h"
#include "bench/peer.cuh"
#include "fem/assembly.h"
#include "kernels/registry.h"
extern "C" {
#include "matrix/layout.h"
#include "solver/cg/cg_create.h"
#include "solver/cg/cg_solve.h"
}

namespace {

/* One of our launch modes: its operator and CG, ready to run. */
struct ours {
    const char *name;
    struct cgs_matrix matrix;
    struct cgs_operator op;
    struct cgs_cg *cg;
};

struct ours prepare(struct cgs_queue *queue, const struct cgs_row_source *source,
                    enum cgs_format format, enum cgs_precision precision, enum cgs_launch launch,
                    const std::vector<double> &rhs, int iterations, const char *name)
{
    struct cgs_context *context = queue->context;
    const struct cgs_kernel_entry *entry;
    struct ours o = {};
    struct cgs_cg_settings settings = {};
    settings.tolerance = 1e-30;
    settings.max_iterations = iterations;
    settings.launch = launch;
    o.name = name;
    check(context, cgs_matrix_create(context, source, format, 32, 1, &o.matrix));
    check(context, cgs_kernel_find(context, "auto", CGS_CUDA, format, &entry));
    check(context, cgs_operator_create(queue, cgs_backend(CGS_CUDA), entry->tables[precision],
                                       precision, &o.matrix, &o.op));
    check(context, cgs_cg_create(queue, &o.op, NULL, &settings, &o.cg));
    check(context, o.op.domain.ops->put(&o.op.domain, rhs.data(), 0, o.op.domain.size,
                                        cgs_cg_rhs(o.cg)));
    return o;
}

double solve(struct cgs_queue *queue, struct ours &o, double *residual)
{
    struct cgs_cg_result result;
    check(queue->context,
          o.op.domain.ops->set(&o.op.domain, queue, NULL, 0.0, cgs_cg_solution(o.cg)));
    check(queue->context, cgs_cg_solve(o.cg, &result));
    *residual = result.relative_residual;
    return result.seconds;
}

void release(struct cgs_context *context, struct ours &o)
{
    cgs_cg_release(o.cg);
    cgs_operator_release(&o.op);
    cgs_matrix_release(context, &o.matrix);
}

double median(std::vector<double> x)
{
    std::sort(x.begin(), x.end());
    return x[x.size() / 2];
}

struct line {
    std::string name;
    std::vector<double> seconds;
    double residual;
};

void print(FILE *json, bool *first, int64_t n, const char *precision, int iterations,
           const std::vector<line> &lines)
{
    const double updates = 1e-6 * (double)(n * n * n) * iterations;
    const double peer = median(lines[0].seconds);
    for (const line &l : lines) {
        const double s = median(l.seconds);
        const auto range = std::minmax_element(l.seconds.begin(), l.seconds.end());
        printf("%5lld %-7s %-26s %9.2f us/it  (%.2f - %.2f)  %9.0f MUPS  %6.2fx  residual %.3e\n",
               (long long)n, precision, l.name.c_str(), 1e6 * s / iterations,
               1e6 * *range.first / iterations, 1e6 * *range.second / iterations, updates / s,
               peer / s, l.residual);
        if (json)
            fprintf(
                json,
                "%s\n  {\"N\": %lld, \"precision\": \"%s\", \"name\": \"%s\", \"iterations\": %d, "
                "\"seconds_median\": %.9g, \"seconds_min\": %.9g, \"seconds_max\": %.9g, "
                "\"mups\": %.1f, \"ratio_to_peer\": %.3f, \"relative_residual\": %.6e}",
                *first ? "" : ",", (long long)n, precision, l.name.c_str(), iterations, s,
                *range.first, *range.second, updates / s, peer / s, l.residual);
        *first = false;
    }
    fflush(stdout);
}

template <class Real>
void compare(struct cgs_queue *queue, int64_t n, enum cgs_precision precision, int iterations,
             int repeats, FILE *json, bool *first)
{
    struct cgs_context *context = queue->context;
    const struct cgs_mesh mesh = cgs_mesh_cube(n, CGS_GAUSS, 1.0);
    struct cgs_row_source source;
    struct cgs_matrix crs;
    std::vector<double> rhs((size_t)(n * n * n));
    for (size_t i = 0; i < rhs.size(); i++)
        rhs[i] = cgs_random(i);
    check(context, cgs_assembler_create(context, &mesh, CGS_GATHER_SHARED, &source));
    check(context, cgs_matrix_create(context, &source, CGS_CRS, 1, 1, &crs));

    peer<Real> vendor(queue, &crs, rhs);
    std::vector<ours> all = {
        prepare(queue, &source, CGS_SELL, precision, CGS_LAUNCH_PLAIN, rhs, iterations,
                "SELL plain"),
        prepare(queue, &source, CGS_SELL, precision, CGS_LAUNCH_GRAPH, rhs, iterations,
                "SELL graph"),
        prepare(queue, &source, CGS_CRS, precision, CGS_LAUNCH_GRAPH, rhs, iterations, "CRS graph"),
    };
    std::vector<line> lines = {{"cuSPARSE CSR + cuBLAS", {}, 0.0}};
    for (const ours &o : all)
        lines.push_back({std::string("cgsolve ") + o.name, {}, 0.0});
    for (int repeat = 0; repeat <= repeats; repeat++) {
        for (size_t i = 0; i < lines.size(); i++) {
            const double s = i == 0 ? vendor.solve(iterations, &lines[0].residual)
                                    : solve(queue, all[i - 1], &lines[i].residual);
            if (repeat > 0) /* the first round warms up */
                lines[i].seconds.push_back(s);
        }
    }
    print(json, first, n, cgs_precision_name(precision), iterations, lines);
    for (ours &o : all)
        release(context, o);
    cgs_matrix_release(context, &crs);
    cgs_assembler_release(context, &source);
}

const char *value_of(const char *argument, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 && argument[length] == '=' ? argument + length + 1
                                                                           : nullptr;
}

} // namespace

int main(int argc, char **argv)
{
    std::string sizes = "64,128,256", precisions = "double,single", file;
    int iterations = 50, repeats = 5;
    for (int i = 1; i < argc; i++) {
        const char *v;
        if ((v = value_of(argv[i], "--N")))
            sizes = v;
        else if ((v = value_of(argv[i], "--precision")))
            precisions = v;
        else if ((v = value_of(argv[i], "--iterations")))
            iterations = atoi(v);
        else if ((v = value_of(argv[i], "--repeats")))
            repeats = atoi(v);
        else if ((v = value_of(argv[i], "--json")))
            file = v;
        else {
            fprintf(stderr, "usage: %s [--N=64,128] [--precision=double,single] [--iterations=K] "
                            "[--repeats=R] [--json=FILE]\n", argv[0]);
            return 1;
        }
    }
    struct cgs_context context;
    struct cgs_queue *queue;
    cgs_context_init(&context);
    if (!cgs_backend(CGS_CUDA)) {
        fprintf(stderr, "peer_cusparse_cg: %s\n", cgs_backend_reason(CGS_CUDA));
        return 77;
    }
    check(&context, cgs_backend(CGS_CUDA)->open(&context, 0, &queue));
    FILE *json = file.empty() ? nullptr : fopen(file.c_str(), "w");
    bool first = true;
    if (json)
        fprintf(json, "[");
    for (char *word = strtok(&sizes[0], ","); word; word = strtok(nullptr, ",")) {
        const int64_t n = atoll(word);
        if (precisions.find("double") != std::string::npos)
            compare<double>(queue, n, CGS_PRECISION_F64, iterations, repeats, json, &first);
        if (precisions.find("single") != std::string::npos)
            compare<float>(queue, n, CGS_PRECISION_F32, iterations, repeats, json, &first);
    }
    if (json) {
        fprintf(json, "\n]\n");
        fclose(json);
    }
    cgs_backend(CGS_CUDA)->close(queue);
    return 0;
}
