/* Memory that runs out in the middle: the k-th allocation of a whole run is refused, for k = 1, 2,
 * 3, ... until the run needs no more. Each time the status is CGS_MEMORY, the message names what
 * was wanted, and everything that was held has been given back. That walks every clean-up path. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "core/options/options.h"
#include "core/options/options_value.h"
#include "core/report/pictures.h"
#include "core/run/pipeline.h"
#include "lab/command_line/options_parse.h"
#include "src/spgemm/multiply.h"
#include "tests/support/check.h"

enum { MOST_ALLOCATIONS = 500, ARGUMENTS = 8 };

#define PRODUCT "check_starved.mtx" /* written by each run that ends well, gone after it */
#define PICTURE "check_starved.vtu" /* likewise */

/* Command lines whose runs allocate differently. */
static const char *const runs[][ARGUMENTS] = {
    {"cgsolve", "--backend=cpu", "--N=3"},
    {"cgsolve", "--backend=cpu", "--N=3", "--format=crs", "--precision=single"},
    {"cgsolve", "--backend=cpu", "--N=3", "--precond=jacobi", "--threads=1"},
    {"cgsolve", "--backend=cpu", "--N=3", "--problem=course", "--quadrature=blended"},
    {"cgsolve", "--backend=cpu", "--N=3", "--profile"},
    {"cgsolve", "--backend=cpu", "--N=3", "--precond=chebyshev", "--solves=2"},
    {"cgsolve", "--backend=cpu", "--N=7", "--precond=mg", "--deform=0.1", "--profile"},
    {"cgsolve", "--backend=cpu", "--N=6", "--precond=mg", "--guess=fmg"},
    {"cgsolve", "--backend=cpu", "--N=6", "--precond=mg", "--coarse=galerkin"},
    {"cgsolve", "--backend=cpu", "--N=9", "--precond=amg", "--profile"},
    {"cgsolve", "--backend=cpu", "--N=3", "--precond=fdm", "--kappa=smooth", "--profile"},
    {"cgsolve", "--backend=cpu", "--N=3", "--slice=z:0.5,error,x.png", "--slice=x:0,y.png"},
    {"cgsolve", "--backend=cpu", "--N=3", "--deform=0.1", "--output=" PICTURE},
    {"cgsolve", "--backend=cpu", "--matrix=", "--precond=jacobi", "--output=x.mtx", "--sigma=9"},
    {"cgsolve", "spgemm", "--backend=cpu", "--random=40,0.1", "--repeat=1", "--output=" PRODUCT},
    {"cgsolve", "spgemm", "--backend=cpu", "--matrix=", "--precision=single", "--repeat=1"},
};

static struct cgs_context context; /* of the test: Check forks for each */

/* One run whose `refused`-th allocation fails (0: none does); its status. */
static enum cgs_status run(const char *const *arguments, int64_t refused)
{
    struct cgs_options options;
    struct cgs_report report;
    const char *sources = getenv("CGS_SRCDIR"), *given[ARGUMENTS];
    char file[1024];
    int count = 0;
    snprintf(file, sizeof file, "--matrix=%s/tests/systems/LF10.mtx", sources ? sources : ".");
    for (; count < ARGUMENTS && arguments[count]; count++)
        given[count] = strcmp(arguments[count], "--matrix=") == 0 ? file : arguments[count];
    cgs_context_init(&context);
    ck_assert_msg(cgs_options_parse(&context, count, given, &options) == CGS_OK, "%s",
                  context.message);
    report = (struct cgs_report){
        .argc = count, .argv = given, .settings = &options.settings, .context = &context};
    context.starve_in[CGS_HOST] = refused;
    const enum cgs_status status =
        options.settings.command == CGS_COMMAND_SPGEMM
            ? cgs_multiply(&context,
                           &(struct cgs_call){.options = &options, .argc = count, .argv = given})
            : cgs_run(&context, &options.settings, NULL, NULL, NULL, NULL, &report);
    context.starve_in[CGS_HOST] = 0;
    remove(PRODUCT);
    remove(PICTURE);
    ck_assert_int_eq(status, context.status);
    cgs_free(&context, report.result.history);
    cgs_free(&context, report.algebraic);
    cgs_free(&context, report.solution);
    cgs_pictures_release(&context, &report);
    cgs_options_release(&options);
    return status;
}

LOOP_TEST(every_refused_allocation_is_said_and_nothing_is_kept, sizeof runs / sizeof *runs)
{
    int64_t k = 1;
    ck_assert_int_eq(run(runs[_i], 0), CGS_OK);
    ck_assert_int_eq(context.host_bytes, 0);
    while (k <= MOST_ALLOCATIONS && run(runs[_i], k) != CGS_OK) {
        ck_assert_msg(context.status == CGS_MEMORY, "allocation %lld: status %d: %s", (long long)k,
                      context.status, context.message);
        ck_assert_msg(strstr(context.message, " of host memory could not be allocated") != NULL,
                      "allocation %lld: %s", (long long)k, context.message);
        ck_assert_msg(context.host_bytes == 0, "allocation %lld (%s): %lld bytes are still held",
                      (long long)k, context.message, (long long)context.host_bytes);
        k++;
    }
    ck_assert_int_eq(context.host_bytes, 0);
    ck_assert_int_gt(k, 20); /* vectors, state, records, layout, entries, lines of the errors ... */
    ck_assert_int_le(k, MOST_ALLOCATIONS);
}

int main(void)
{
    return run_tests("starved", 300, NULL, NULL);
}
