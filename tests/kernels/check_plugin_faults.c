/* Kernels of the user's own that fail: every fault is named, files that hold none are refused. */
#include "tests/kernels/plugin.h"

static const struct {
    const char *file;
    const char *words; /* of the message that some product, or prepare, ends with */
} faults[] = {
    {"tests/user_kernels/crash.c",
     "was ended by SIGSEGV in its 3rd product: it followed a null pointer"},
    {"tests/user_kernels/abort.c", "was ended by SIGABRT in its 5th product"},
    {"tests/user_kernels/hang.c", "took longer than 1 s in its 3rd product, and was ended"},
    {"tests/user_kernels/sleeps.c", "took longer than 1 s in its 2nd product, and was ended"},
    {"tests/user_kernels/exits.c", "ended its process by exit(0) in its 2nd product"},
    {"tests/user_kernels/forks.c", "ended its process by exit(9) in its 1st product"},
    {"tests/user_kernels/past_end.c", "the byte 0 behind the end of y was changed"},
    {"tests/user_kernels/before.c", "the byte 8 before the begin of y was changed"},
    {"tests/user_kernels/far.c", "was ended by SIGSEGV in its 1st product: it went outside of y"},
    {"tests/user_kernels/input.c",
     "was ended by SIGSEGV in its 1st product: it wrote into x, its input"},
    {"tests/user_kernels/matrix.c",
     "was ended by SIGSEGV in its 1st product: it wrote into the matrix"},
    {"tests/user_kernels/loads.c", "was ended by SIGABRT while it was loaded"},
    {"tests/user_kernels/refuses.c", "declines the matrix: 1 rows are odd"},
    {"tests/user_kernels/announces.c", "wrote into memory by which cgsolve calls it"},
    {"tests/user_kernels/miscounts.c",
     "was ended by SIGSEGV after it wrote over the count of its products"},
};

/* A matrix whose rows do not end with a cache line: case 0 has one row. */
LOOP_TEST(fault_is_named, sizeof faults / sizeof *faults)
{
    struct work w = {.number = CGS_F64};
    enum cgs_status status;
    setenv("CGSOLVE_TEST", "seconds=1", 1);
    open_file(faults[_i].file, &w);
    lay_out(&w, 0, 1, 1);
    void *x = bed_vector(&w.domain, NULL), *y = bed_vector(&w.range, NULL);
    status = w.kernel->prepare_user(w.kernel, bed.queue, &w.matrix, &w.self);
    for (int k = 0; k < 6 && status == CGS_OK; k++)
        status = w.kernel->steps.apply(w.self, bed.queue, NULL, x, y);
    ck_assert_int_eq(status, CGS_NOT_CONVERGED);
    ck_assert_msg(strstr(bed.context.message, faults[_i].words), "%s", bed.context.message);
    ck_assert_ptr_nonnull(strstr(bed.context.message, faults[_i].file));
    bed_forgive();
    w.domain.ops->free(&w.domain, x);
    w.range.ops->free(&w.range, y);
    take_down(&w);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}

static const struct {
    const char *file, *words;
} files[] = {
    {"tests/user_kernels/abi.c", "is for version 7 of cgsolve/kernel.h, and this cgsolve has 2"},
    {"tests/user_kernels/fields.c", "apply is NULL"},
    {"tests/user_kernels/no_symbol.c", "defines no symbol 'cgsolve_kernel'"},
    {"tests/user_kernels/syntax.c", "nowhere_declared"},
    {"tests/user_kernels/user_kernel.h", "can't be loaded as a shared library"},
    {"tests/user_kernels/not_there.c", "can't be read: No such file"},
};

LOOP_TEST(file_is_refused, sizeof files / sizeof *files)
{
    char path[4096];
    struct cgs_plugin *plugin = NULL;
    snprintf(path, sizeof path, "%s/%s", getenv("CGS_SRCDIR") ? getenv("CGS_SRCDIR") : ".",
             files[_i].file);
    ck_assert_int_eq(cgs_plugin_open(&bed.context, path, 0, &plugin), CGS_FILE);
    ck_assert_ptr_null(plugin);
    ck_assert_msg(strstr(bed.context.message, files[_i].words), "%s", bed.context.message);
    ck_assert_ptr_nonnull(strstr(bed.context.message, files[_i].file));
    bed_forgive();
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
}

TEST(a_batch_is_watched_too)
{
    struct work w = {.number = CGS_F32};
    double seconds = -1.0;
    open_file("tests/user_kernels/crash.c", &w);
    lay_out(&w, 4, 1, 1);
    void *x = bed_vector(&w.domain, NULL), *y = bed_vector(&w.range, NULL);
    must(w.kernel->prepare_user(w.kernel, bed.queue, &w.matrix, &w.self));
    ck_assert_int_eq(w.kernel->steps.time(w.self, bed.queue, x, y, 50, &seconds),
                     CGS_NOT_CONVERGED);
    ck_assert_ptr_nonnull(strstr(bed.context.message, "SIGSEGV in its 3rd product"));
    ck_assert(seconds == -1.0);
    bed_forgive();
    ck_assert_int_eq(w.kernel->steps.apply(w.self, bed.queue, NULL, x, y), CGS_NOT_CONVERGED);
    ck_assert_ptr_nonnull(strstr(bed.context.message, "has ended before"));
    bed_forgive();
    w.domain.ops->free(&w.domain, x);
    w.range.ops->free(&w.range, y);
    take_down(&w);
}

int main(int argc, char **argv)
{
    if (cgs_worker_wanted(argc, argv)) /* this program is its own worker */
        return cgs_worker_main(argv);
    return bed_tests("plugin faults", 120);
}
