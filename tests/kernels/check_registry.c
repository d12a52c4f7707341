/* The registry's words, and the CPU's backend. */
#include <math.h>
#include <string.h>

#include "kernels/spgemm.h"
#include "kernels/spgemm/spgemm_table.h"
#include "tests/support/support.h"

TEST(every_line_is_whole)
{
    int count;
    const struct cgs_kernel_entry *entries = cgs_kernels(&count);
    ck_assert_int_ge(count, 2);
    for (int i = 0; i < count; i++) {
        ck_assert(entries[i].name[0] != '\0' && entries[i].description[0] != '\0');
        for (int p = 0; p < CGS_PRECISIONS; p++) {
            const struct cgs_kernel *kernel = entries[i].tables[p];
            ck_assert_int_eq(kernel != NULL, cgs_backend(entries[i].device) != NULL);
            if (kernel)
                ck_assert(kernel->plan && kernel->prepare && kernel->traffic &&
                          kernel->steps.apply && kernel->steps.release);
        }
        for (int j = 0; j < i; j++)
            ck_assert(strcmp(entries[i].name, entries[j].name) != 0 ||
                      entries[i].device != entries[j].device);
    }
    for (int d = 0; d < CGS_DEVICES; d++) {
        const struct cgs_backend *backend = cgs_backend((enum cgs_device)d);
        if (backend)
            ck_assert_str_eq(backend->name, cgs_device_name((enum cgs_device)d));
        else
            ck_assert_ptr_nonnull(strstr(cgs_backend_reason((enum cgs_device)d), "bootstrap"));
    }
}

static const struct {
    const char *name;
    enum cgs_format format;
    enum cgs_status status;
    const char *words; /* of the message, or the kernel's name */
} searches[] = {
    {"auto", CGS_CRS, CGS_OK, "crs_row"},
    {"auto", CGS_SELL, CGS_OK, "sell_chunk"},
    {"crs_row", CGS_CRS, CGS_OK, "crs_row"},
    {"crs_rwo", CGS_CRS, CGS_USAGE, "did you mean 'crs_row'?"},
    {"sell_chunk", CGS_CRS, CGS_USAGE, "crs_row"},
    {"crs_warp", CGS_CRS, CGS_USAGE, "is of backend cuda and format crs"},
    {"completely_else", CGS_SELL, CGS_USAGE, "sell_chunk"},
    {"auto", CGS_NONE, CGS_OK, "stencil"},
    {"stencils", CGS_NONE, CGS_USAGE, "did you mean 'stencil'?"},
    {"auto", CGS_SELLC, CGS_OK, "sellc_chunk"},
};

TEST(one_of_each_is_automatic)
{
    int count, automatic[CGS_DEVICES][CGS_FORMATS] = {0}, products[CGS_DEVICES] = {0};
    const struct cgs_kernel_entry *entries = cgs_kernels(&count);
    for (int i = 0; i < count; i++)
        automatic[entries[i].device][entries[i].format] += entries[i].automatic;
    const struct cgs_spgemm_entry *spgemms = cgs_spgemms(&count);
    for (int i = 0; i < count; i++)
        products[spgemms[i].device] += spgemms[i].automatic;
    for (int device = 0; device < CGS_DEVICES; device++) {
        ck_assert_int_eq(products[device], 1);
        for (int format = 0; format < CGS_FORMATS; format++)
            ck_assert_int_eq(automatic[device][format], 1);
    }
}

LOOP_TEST(search, sizeof searches / sizeof *searches)
{
    const struct cgs_kernel_entry *entry = NULL;
    ck_assert_int_eq(
        cgs_kernel_find(&bed.context, searches[_i].name, CGS_CPU, searches[_i].format, &entry),
        searches[_i].status);
    if (searches[_i].status == CGS_OK) {
        ck_assert_str_eq(entry->name, searches[_i].words);
        return;
    }
    ck_assert_ptr_null(entry);
    ck_assert_msg(strstr(bed.context.message, searches[_i].words) != NULL, "%s",
                  bed.context.message);
    bed_forgive();
}

TEST(device_not_built)
{
    const struct cgs_kernel_entry *entry = NULL;
    const enum cgs_status status = cgs_kernel_find(&bed.context, "auto", CGS_CUDA, CGS_CRS, &entry);
    ck_assert_int_eq(status, cgs_backend(CGS_CUDA) ? CGS_OK : CGS_DEVICE);
    bed_forgive();
}

TEST(no_second_cpu)
{
    struct cgs_queue *queue = NULL;
    ck_assert_int_eq(cgs_backend(CGS_CPU)->open(&bed.context, 1, &queue), CGS_DEVICE);
    ck_assert_ptr_null(queue);
    bed_forgive();
}

TEST(what_the_cpu_says)
{
    struct cgs_device_info info;
    struct cgs_bandwidth bandwidth;
    int64_t available = 0, peak = -1;
    double seconds = -1.0;
    must(bed.backend->describe(bed.queue, &info));
    ck_assert_int_gt(info.memory_bytes, 0);
    ck_assert_int_eq(info.processors, bed.context.threads);
    must(bed.backend->mark(bed.queue, 0));
    must(bed.backend->bandwidth(bed.queue, 20000000, 0.1, &bandwidth));
    must(bed.backend->mark(bed.queue, 63));
    must(bed.backend->elapsed(bed.queue, 0, 63, &seconds));
    ck_assert(seconds > 0.0 && seconds < 5.0);
    ck_assert(bandwidth.read_gbs > 0.0 && bandwidth.copy_gbs > 0.0 && bandwidth.triad_gbs > 0.0);
    ck_assert(bandwidth.bytes > 0 && bandwidth.bytes <= 20000000);
    must(bed.backend->memory(bed.queue, &available, &peak));
    ck_assert(available > 0 && peak >= 0);
}

TEST(layouts_of_the_cpu)
{
    const struct cgs_layout pitched = {.size = 60, .length = 10, .rows = 6, .pitch = 16};
    struct cgs_space space;
    for (int number = 0; number < CGS_NUMBERS; number++) {
        ck_assert_int_eq(bed.backend->spaces[number]->create(bed.queue, &pitched, &space),
                         CGS_USAGE);
        bed_forgive();
    }
}

TEST(state_plan)
{
    struct cgs_plan plan = {0};
    cgs_state_plan(&plan, CGS_HOST, 99);
    ck_assert_int_eq(plan.total[CGS_HOST],
                     (int64_t)(sizeof(struct cgs_cg_state) + 100 * sizeof(struct cgs_cg_record)));
    cgs_state_plan(&plan, CGS_HOST, INT64_MAX);
    ck_assert_int_eq(plan.total[CGS_HOST], INT64_MAX);
}

int main(void)
{
    return bed_tests("registry", 60);
}
