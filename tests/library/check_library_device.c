/* libcgsolve with matrix and vectors in the memory of a device: used where they are, by the
 * right numbers, and refused in words where they are wrong. */
#include "tests/library/library.h"
#include "tests/support/sparse.h"

enum { N = 3000 };

/* tridiag(-1, 2.5, -1), there; what the host knows of it; and its pointers of 32 bits. */
struct there {
    struct smmp host;
    struct cgs_sparse m;
    struct smmp narrow_host;
    struct cgs_sparse narrow;
    struct cgs_space space;
    double *known, *b;
    void *vb, *vx;
};

static struct smmp tridiagonal(int64_t rows)
{
    struct smmp m = smmp_band(rows, rows, 1, 0, CGS_F64, 1);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = m.start[i]; k < m.start[i + 1]; k++)
            m.value[k] = m.column[k] == i ? 2.5 : -1.0;
    return m;
}

/* A matrix of one row, whose columns are these numbers. */
static struct smmp numbers_as_columns(const int64_t *numbers, int64_t count)
{
    struct smmp m = smmp_band(1, numbers[count - 1] + 1, numbers[count - 1], 0, CGS_F64, 1);
    m.start[1] = count;
    for (int64_t i = 0; i < count; i++)
        m.column[i] = (int32_t)numbers[i];
    return m;
}

static struct there there_open(void)
{
    struct there t = {.host = tridiagonal(N), .space = bed_space(CGS_F64, N)};
    t.narrow_host = numbers_as_columns(t.host.start, N + 1);
    t.m = sparse_send(&t.host, CGS_F64);
    t.narrow = sparse_send(&t.narrow_host, CGS_F64);
    t.known = malloc(N * sizeof *t.known);
    t.b = malloc(N * sizeof *t.b);
    for (int i = 0; i < N; i++)
        t.known[i] = some(i);
    for (int i = 0; i < N; i++)
        t.b[i] =
            2.5 * t.known[i] - (i > 0 ? t.known[i - 1] : 0.0) - (i < N - 1 ? t.known[i + 1] : 0.0);
    t.vb = bed_vector(&t.space, t.b);
    t.vx = bed_vector(&t.space, NULL);
    return t;
}

static void there_close(struct there *t)
{
    bed.backend->sparse[CGS_F64]->release(bed.queue, &t->m);
    bed.backend->sparse[CGS_F64]->release(bed.queue, &t->narrow);
    t->space.ops->free(&t->space, t->vb);
    t->space.ops->free(&t->space, t->vx);
    smmp_free(&t->host);
    smmp_free(&t->narrow_host);
    free(t->known);
    free(t->b);
}

static struct cgsolve_arrays arrays_of(const struct there *t, int bits)
{
    return (struct cgsolve_arrays){.rows = N,
                                   .nonzeros = t->m.nonzeros,
                                   .pointers = bits == 64 ? (const void *)t->m.pointers
                                                          : (const void *)t->narrow.column,
                                   .pointer_bits = bits,
                                   .columns = t->m.column,
                                   .values = t->m.value,
                                   .on_device = 1};
}

static struct cgsolve *device_handle(const struct there *t, int bits)
{
    struct cgsolve *s = NULL;
    const struct cgsolve_arrays arrays = arrays_of(t, bits);
    ck_assert_int_eq(cgsolve_create(&s), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_set_real(s, "tol", 1e-12), CGSOLVE_OK);
    option(s, "threads",
           "1"); /* the emulator overwrites thread-local memory, where the library notes forks */
    ck_assert_msg(cgsolve_matrix_arrays(s, &arrays) == CGSOLVE_OK, "%s", cgsolve_message());
    return s;
}

/* The answer, where it is, is right; and the arrays are as they were. */
static void solves(struct there *t, struct cgsolve *s, const void *b, void *x)
{
    struct cgsolve_result result;
    double got[N];
    solved(cgsolve_solve(s, N, b, x, &result));
    ck_assert_str_eq(result.backend, "cuda");
    if (x == t->vx)
        bed_get(&t->space, x, got);
    assert_near(x == t->vx ? got : x, t->known, N, 1e-9);
    struct cgs_crs same = sparse_fetch(&t->m, CGS_F64);
    crs_compare("the caller's", &same, &t->host, 0, 0.0, NULL);
    cgs_crs_release(&bed.context, &same);
}

TEST(used_where_they_are)
{
    struct there t = there_open();
    double x[N];
    for (int bits = 32; bits <= 64; bits += 32) {
        struct cgsolve *s = device_handle(&t, bits);
        struct cgsolve_result result;
        solves(&t, s, t.vb, t.vx); /* both there */
        solves(&t, s, t.b, x);     /* both on the host */
        solves(&t, s, t.b, t.vx);
        solves(&t, s, t.vb, x);
        solved(cgsolve_solve_from(s, N, t.vb, t.vx, &result)); /* from the solution */
        ck_assert_int_le(result.iterations, 1);
        ck_assert_str_eq(result.format, "crs");
        cgsolve_destroy(&s);
    }
    there_close(&t);
}

TEST(with_every_option_that_needs_entries)
{
    static const char *const options[][2] = {
        {"precond", "jacobi"},  {"precond", "amg"},     {"precond", "chebyshev"},
        {"format", "sell"},     {"format", "sellc"},    {"kernel", "crs_vec4"},
        {"kernel", "crs_warp"}, {"precision", "mixed"}, {"launch", "plain"}};
    struct there t = there_open();
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        struct cgsolve *s = device_handle(&t, 64);
        option(s, options[i][0], options[i][1]);
        solves(&t, s, t.vb, t.vx);
        cgsolve_destroy(&s);
    }
    there_close(&t);
}

static void refused(struct cgsolve *s, const struct there *t, const struct cgsolve_arrays *arrays,
                    enum cgsolve_status status, const char *message)
{
    ck_assert_msg(cgsolve_matrix_arrays(s, arrays) == CGSOLVE_OK, "%s", cgsolve_message());
    ck_assert_int_eq(cgsolve_solve(s, N, t->vb, t->vx, NULL), status);
    ck_assert_msg(strstr(cgsolve_message(), message) != NULL, "'%s' has no '%s'", cgsolve_message(),
                  message);
}

TEST(wrong_ones_are_refused)
{
    struct there t = there_open();
    struct cgsolve *s = device_handle(&t, 64);
    struct cgsolve_arrays a = arrays_of(&t, 64);
    a.values = t.host.value;
    refused(s, &t, &a, CGSOLVE_USAGE,
            "on_device is set, but values is not in the memory of the device that computes");
    a = arrays_of(&t, 64);
    a.columns++;
    a.nonzeros--;
    refused(s, &t, &a, CGSOLVE_USAGE, "columns begins in the middle of 16 bytes");
    a = arrays_of(&t, 64);
    a.nonzeros--;
    refused(s, &t, &a, CGSOLVE_INPUT, "pointers[3000] = 8998: expected 8997");
    a.rows = N - 1;
    a.nonzeros = t.m.nonzeros - 2; /* the last column is out of range now */
    ck_assert_int_eq(cgsolve_matrix_arrays(s, &a), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_solve(s, N - 1, t.vb, t.vx, NULL), CGSOLVE_INPUT);
    ck_assert_str_eq(cgsolve_message(),
                     "row 2998: columns[8995] = 2999 is out of range: expected 0 ... 2998");
    a = arrays_of(&t, 64);
    a.stored = CGSOLVE_LOWER;
    ck_assert_int_eq(cgsolve_matrix_arrays(s, &a), CGSOLVE_USAGE);
    a.stored = CGSOLVE_FULL;
    option(s, "backend", "cpu");
    refused(s, &t, &a, CGSOLVE_USAGE, "this run computes on the host: take backend = cuda");
    cgsolve_destroy(&s);
    there_close(&t);
}

/* One value is changed there: found by the sum over all pairs, and named. */
TEST(not_symmetric)
{
    struct there t = there_open();
    t.host.value[4] = -1.5; /* (1, 2) */
    struct cgs_sparse other = sparse_send(&t.host, CGS_F64);
    struct cgsolve *s = device_handle(&t, 64);
    struct cgsolve_arrays a = arrays_of(&t, 64);
    a.values = other.value;
    a.columns = other.column;
    a.pointers = other.pointers;
    refused(s, &t, &a, CGSOLVE_BREAKDOWN, "a(2, 3) = -1.5 but a(3, 2) = -1");
    bed.backend->sparse[CGS_F64]->release(bed.queue, &other);
    cgsolve_destroy(&s);
    there_close(&t);
}

/* The same, off by rounding: the library copies the rows, and solves with (A + A') / 2. */
TEST(symmetric_but_for_rounding)
{
    struct there t = there_open();
    double x[N];
    t.host.value[4] *= 1.0 + 1e-14; /* (1, 2) */
    struct cgs_sparse other = sparse_send(&t.host, CGS_F64);
    for (int bits = 32; bits <= 64; bits += 32) {
        struct cgsolve *s = device_handle(&t, bits);
        struct cgsolve_arrays a = arrays_of(&t, bits);
        a.values = other.value;
        ck_assert_int_eq(cgsolve_matrix_arrays(s, &a), CGSOLVE_OK);
        solved(cgsolve_solve(s, N, t.vb, x, NULL));
        assert_near(x, t.known, N, 1e-9);
        cgsolve_destroy(&s);
    }
    bed.backend->sparse[CGS_F64]->release(bed.queue, &other);
    there_close(&t);
}

TEST(new_values)
{
    struct there t = there_open();
    struct cgsolve *s = device_handle(&t, 64);
    double x[N];
    solves(&t, s, t.vb, x);
    for (int64_t k = 0; k < t.m.nonzeros; k++)
        t.host.value[k] *= 2.0;
    struct cgs_sparse other = sparse_send(&t.host, CGS_F64);
    ck_assert_int_eq(cgsolve_matrix_values(s, t.m.nonzeros, other.value), CGSOLVE_OK);
    solved(cgsolve_solve(s, N, t.vb, x, NULL));
    for (int i = 0; i < N; i++)
        x[i] *= 2.0;
    assert_near(x, t.known, N, 1e-9);
    cgsolve_destroy(&s);
    bed.backend->sparse[CGS_F64]->release(bed.queue, &other);
    there_close(&t);
}

static bool emulated(const struct cgs_device_info *info)
{
    return strcmp(info->name, "emulator") == 0;
}

static void assert_reused(struct cgsolve *s, const char *kept)
{
    json_t *report = report_of(s), *facts = json_object_get(report, "preconditioning");
    ck_assert_str_eq(json_string_value(json_object_get(facts, "reused")), kept);
    json_decref(report);
}

/* Near-null vectors there give the bits of the same ones on the host; wrong ones are met there. */
TEST(near_null_vectors)
{
    struct there t = there_open();
    double ones[N], x[2][N];
    for (int i = 0; i < N; i++)
        ones[i] = 1.0;
    void *there = bed_vector(&t.space, ones);
    struct cgsolve *s = device_handle(&t, 64);
    option(s, "precond", "amg");
    for (int k = 0; k < 2; k++) {
        struct cgsolve_result result;
        ck_assert_int_eq(cgsolve_near_null(s, 1, N, k ? there : ones), CGSOLVE_OK);
        solved(cgsolve_solve(s, N, t.b, x[k], &result));
        ck_assert_int_le(result.iterations, 20);
        assert_near(x[k], t.known, N, 1e-9);
    }
    ck_assert_mem_eq(x[0], x[1], sizeof x[0]);
    for (int k = 0; k < 2; k++) {
        ones[0] = NAN;
        if (k)
            memset(ones, 0, sizeof ones);
        must(t.space.ops->put(&t.space, ones, 0, N, there));
        ck_assert_int_eq(cgsolve_near_null(s, 1, N, there), CGSOLVE_OK);
        ck_assert_int_eq(cgsolve_solve(s, N, t.b, x[0], NULL), k ? CGSOLVE_USAGE : CGSOLVE_INPUT);
        ck_assert_ptr_nonnull(
            strstr(cgsolve_message(), k ? "is 0 in all rows" : "vectors[0] is nan"));
    }
    cgsolve_destroy(&s);
    t.space.ops->free(&t.space, there);
    there_close(&t);
}

/* Gives the matrix times a number as new values, of the host or there, and solves. */
static void solves_scaled(struct there *t, struct cgsolve *s, bool there, double scale)
{
    double x[N];
    for (int64_t e = 0; e < t->m.nonzeros; e++)
        t->host.value[e] *= scale;
    struct cgs_sparse other = sparse_send(&t->host, CGS_F64);
    ck_assert_int_eq(
        cgsolve_matrix_values(s, t->m.nonzeros, there ? other.value : t->host.value), CGSOLVE_OK);
    solved(cgsolve_solve(s, N, t->b, x, NULL));
    for (int i = 0; i < N; i++)
        x[i] *= scale;
    assert_near(x, t->known, N, 1e-9);
    for (int64_t e = 0; e < t->m.nonzeros; e++)
        t->host.value[e] /= scale;
    bed.backend->sparse[CGS_F64]->release(bed.queue, &other);
}

/* New values of arrays on the host or on the device keep aggregates or the cycle that are there. */
TEST(new_values_keep_set_up)
{
    static const char *const reuse[] = {"pattern", "all"},
                      *const precision[] = {"single", "double"};
    struct there t = there_open();
    for (int k = 0; k < 8; k++) {
        const bool there = k & 4;
        struct cgsolve *s = device_handle(&t, 64);
        option(s, "backend", "cuda");
        option(s, "precond", "amg");
        option(s, "precond-precision", precision[k % 2]);
        option(s, "reuse", reuse[k / 2 % 2]);
        if (!there)
            ck_assert_int_eq(cgsolve_matrix_crs(s, N, t.m.nonzeros, t.host.start, t.host.column,
                                                t.host.value),
                             CGSOLVE_OK);
        solves(&t, s, t.b, (double[N]){0});
        assert_reused(s, "none");
        solves_scaled(&t, s, there, k % 2 ? 0.5 : 2.0);
        assert_reused(s, k == 7 ? "none" : reuse[k / 2 % 2]); /* cycles in double read old values */
        cgsolve_destroy(&s);
    }
    there_close(&t);
}

/* New values there are looked at: those off by rounding are copied, wrong ones refused. */
TEST(new_values_are_checked)
{
    struct there t = there_open();
    struct cgsolve *s = device_handle(&t, 64);
    option(s, "precond", "amg");
    option(s, "reuse", "pattern");
    solves(&t, s, t.b, (double[N]){0});
    t.host.value[4] *= 1.0 + 1e-14; /* (1, 2) */
    for (int k = 0; k < 2; k++) {
        solves_scaled(&t, s, true, 1.0);
        assert_reused(s, "none");
    }
    t.host.value[4] *= 1.5;
    struct cgs_sparse other = sparse_send(&t.host, CGS_F64);
    double x[N];
    ck_assert_int_eq(cgsolve_matrix_values(s, t.m.nonzeros, other.value), CGSOLVE_OK);
    ck_assert_int_eq(cgsolve_solve(s, N, t.b, x, NULL), CGSOLVE_BREAKDOWN);
    ck_assert_ptr_nonnull(strstr(cgsolve_message(), "is not symmetric"));
    cgsolve_destroy(&s);
    bed.backend->sparse[CGS_F64]->release(bed.queue, &other);
    there_close(&t);
}

/* A matrix of more than four times the cache, where the kernel looks at a row of it. */
TEST(beyond_the_cache)
{
    struct cgs_device_info info;
    must(bed.backend->describe(bed.queue, &info));
    const int64_t count = info.cache_bytes / 7; /* 36 bytes a row */
    if (emulated(&info))
        return; /* it would take minutes */
    struct smmp host = tridiagonal(count);
    struct cgs_sparse m = sparse_send(&host, CGS_F64);
    const struct cgsolve_arrays arrays = {.rows = count,
                                          .nonzeros = m.nonzeros,
                                          .pointers = m.pointers,
                                          .pointer_bits = 64,
                                          .columns = m.column,
                                          .values = m.value,
                                          .on_device = 1};
    double *b = malloc((size_t)count * sizeof *b);
    struct cgsolve *s = NULL;
    for (int64_t i = 0; i < count; i++)
        b[i] = i == 0 || i == count - 1 ? 1.5 : 0.5; /* the solution is 1 */
    ck_assert_int_eq(cgsolve_create(&s), CGSOLVE_OK);
    ck_assert_msg(cgsolve_matrix_arrays(s, &arrays) == CGSOLVE_OK, "%s", cgsolve_message());
    solved(cgsolve_solve(s, count, b, b, NULL));
    for (int64_t i = 0; i < count; i++)
        ck_assert_msg(fabs(b[i] - 1.0) < 1e-6, "x[%lld] = %.17g", (long long)i, b[i]);
    option(s, "memory-limit", "1M"); /* what else would fit is looked for, too */
    ck_assert_int_eq(cgsolve_solve(s, count, b, b, NULL), CGSOLVE_MEMORY);
    cgsolve_destroy(&s);
    bed.backend->sparse[CGS_F64]->release(bed.queue, &m);
    smmp_free(&host);
    free(b);
}

/* A vector of the device, where the host computes. */
TEST(vectors_in_the_wrong_place)
{
    struct there t = there_open();
    struct rows a = rows_tridiagonal(N);
    struct cgsolve *s = NULL;
    struct cgs_device_info info;
    double x[N];
    must(bed.backend->describe(bed.queue, &info));
    ck_assert_int_eq(cgsolve_create(&s), CGSOLVE_OK);
    option(s, "backend", "cpu");
    option(s, "threads", "1");
    hand_over(s, &a);
    if (!emulated(&info)) { /* whose device is the host's memory */
        ck_assert_int_eq(cgsolve_solve(s, N, t.vb, x, NULL), CGSOLVE_USAGE);
        ck_assert_ptr_nonnull(
            strstr(cgsolve_message(), "b is not in memory that the host can read"));
        ck_assert_int_eq(cgsolve_solve(s, N, t.b, t.vx, NULL), CGSOLVE_USAGE);
        ck_assert_int_eq(cgsolve_matrix_values(s, a.pointers[N], t.m.value), CGSOLVE_USAGE);
        option(s, "precond", "amg");
        ck_assert_int_eq(cgsolve_near_null(s, 1, N, t.vb), CGSOLVE_OK);
        ck_assert_int_eq(cgsolve_solve(s, N, t.b, x, NULL), CGSOLVE_USAGE);
        ck_assert_ptr_nonnull(strstr(cgsolve_message(), "near-null vectors are in memory that"));
        ck_assert_int_eq(cgsolve_near_null(s, 0, 0, NULL), CGSOLVE_OK);
        option(s, "precond", NULL);
    }
    solved(cgsolve_solve(s, N, t.b, x, NULL));
    cgsolve_destroy(&s);
    rows_free(&a);
    there_close(&t);
}

/* A kappa of one's own with cells of order 3, and coefficients that vary by Gauss's rule: the
 * device has the CPU's answer. */
LOOP_TEST(own_numbers_of_order_3, 2)
{
    const char *const options[][2] = {{"backend", "cuda"},
                                      {"threads", "1"},
                                      {"order", "3"},
                                      {"cells", "4x3x2"},
                                      {"kappa", "1+x,1,2+z"},
                                      {"exact", "sin(x)*exp(y)+z^4"},
                                      {"face", "x0:flux"},
                                      {"face", _i ? "z1:h=2+y" : "z1:h=2"},
                                      {"reaction", _i ? "1+x" : "1"},
                                      {"quadrature", _i ? "gauss" : "lobatto"},
                                      {"precond", "mg"},
                                      {"tol", "1e-12"}};
    struct cgsolve_result result[2];
    for (int device = 0; device < 2; device++) {
        struct cgsolve *s = NULL;
        ck_assert_int_eq(cgsolve_create(&s), CGSOLVE_OK);
        for (size_t i = 0; i < sizeof options / sizeof *options; i++)
            option(s, options[i][0], i == 0 && !device ? "cpu" : options[i][1]);
        ck_assert_msg(cgsolve_matrix_box(s) == CGSOLVE_OK, "%s", cgsolve_message());
        double *x = calloc((size_t)unknowns_of(s), sizeof *x);
        solved(cgsolve_solve(s, unknowns_of(s), NULL, x, &result[device]));
        free(x);
        cgsolve_destroy(&s);
    }
    ck_assert_double_eq_tol(result[1].l2_error, result[0].l2_error, 1e-8 * result[0].l2_error);
    ck_assert_int_eq(result[1].iterations, result[0].iterations);
}

int main(void)
{
    return bed_tests("library, device", 120);
}
