/* Memory that runs out at any point while a solver is made: CGS_MEMORY with a message, and nothing
 * is left behind. */
#include <string.h>

#include "fem/assembly.h"
#include "kernels/registry.h"
#include "matrix/layout.h"
#include "solver/cg/cg_create.h"
#include "solver/jacobi.h"
#include "tests/support/solve.h"

/* Makes all that a solve makes, in its order, and gives it back. */
static enum cgs_status make_all(enum cgs_format format, enum cgs_precision precision)
{
    const struct cgs_mesh mesh = cgs_mesh_cube(5, CGS_GAUSS, 1.0);
    const struct cgs_cg_settings settings = {.tolerance = 1e-6, .max_iterations = 10};
    const struct cgs_kernel_entry *entry;
    struct cgs_row_source source = {0};
    struct cgs_matrix matrix = {0};
    struct cgs_operator op = {0}, jacobi = {0};
    struct cgs_cg *cg = NULL;
    ck_assert_int_eq(cgs_kernel_find(&context, "auto", CHECK_DEVICE, format, &entry), CGS_OK);
    enum cgs_status status = cgs_assembler_create(&context, &mesh, CGS_GATHER_SHARED, &source);
    if (status == CGS_OK)
        status = cgs_matrix_create(&context, &source, format, 32, 1, &matrix);
    if (status == CGS_OK)
        status = cgs_operator_create(queue, cgs_backend(CHECK_DEVICE), entry->tables[precision],
                                     precision, &matrix, &op);
    if (status == CGS_OK)
        status = cgs_jacobi_create(queue, &op, &source, &jacobi);
    if (status == CGS_OK)
        status = cgs_cg_create(queue, &op, &jacobi, &settings, &cg);
    cgs_cg_release(cg);
    cgs_operator_release(&jacobi);
    cgs_operator_release(&op);
    cgs_matrix_release(&context, &matrix);
    if (source.self)
        cgs_assembler_release(&context, &source);
    return status;
}

/* Every allocation fails in turn, until there are no more. */
static void starve(enum cgs_place place, enum cgs_format format, enum cgs_precision precision)
{
    const int64_t before = context.host_bytes;
    enum cgs_status status = CGS_MEMORY;
    int failures = 0;
    for (int64_t nth = 1; status != CGS_OK; nth++) {
        ck_assert_int_lt(nth, 200);
        context.starve_in[place] = nth;
        status = make_all(format, precision);
        ck_assert_int_eq(context.host_bytes, before);
        if (status == CGS_OK)
            break;
        ck_assert_int_eq(status, CGS_MEMORY);
        ck_assert_ptr_nonnull(
            strstr(context.message, place == CGS_HOST ? "of host memory" : "of device memory"));
        ck_assert_ptr_nonnull(strstr(context.message, "could not be allocated"));
        context.status = CGS_OK;
        context.message[0] = '\0';
        failures++;
    }
    context.starve_in[place] = 0;
    ck_assert_int_gt(failures, 5);
    ck_assert_int_eq(make_all(format, precision), CGS_OK);
}

TEST(every_allocation_of_the_host)
{
    starve(CGS_HOST, CGS_CRS, CGS_PRECISION_F64);
    starve(CGS_HOST, CGS_SELL, CGS_PRECISION_F64);
    starve(CGS_HOST, CGS_SELL, CGS_PRECISION_F32);
}

#ifdef CGS_TEST_CUDA
TEST(every_allocation_of_the_device)
{
    starve(CGS_DEVICE_MEMORY, CGS_CRS, CGS_PRECISION_F64);
    starve(CGS_DEVICE_MEMORY, CGS_SELL, CGS_PRECISION_F64);
    starve(CGS_DEVICE_MEMORY, CGS_SELL, CGS_PRECISION_F32);
}
#endif

int main(void)
{
    return solve_tests("memory runs out");
}
