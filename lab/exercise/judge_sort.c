/* Judge of `sort`: SELL-C-sigma's permutation. A permutation whose lengths descend in each
 * window of sigma places has the least padding that such windows allow, whatever the order of
 * rows of equal length. */
#include <math.h>

#include "base/memory.h"
#include "base/random.h"
#include "core/autotune/calls.h"
#include "lab/exercise/exercise.h"
#include "lab/exercise/verdict.h"

static const struct {
    int64_t rows, sigma, longest;
} cases[] = {{1, 1, 5},       {7, 3, 4},         {32, 32, 9},      {33, 32, 1},   {100, 1000, 50},
             {1000, 256, 27}, {1000, 1000, 800}, {5000, 64, 3000}, {4096, 1, 100}};
enum { CASES = sizeof cases / sizeof *cases };

/* Makes the input: sigma, then lengths, of which many are equal and few are long. */
static void make_lengths(int which, double *x)
{
    const double longest = (double)cases[which].longest;
    x[0] = (double)cases[which].sigma;
    for (int64_t i = 0; i < cases[which].rows; i++) {
        const double part = fabs(cgs_random((uint64_t)(which * 100000 + i)));
        x[1 + i] = floor(longest * part * part * part);
    }
}

/* Looks at the places one by one. seen: a mark for each row. */
static enum cgs_status compare(int which, const double *x, const double *y, bool *seen,
                               struct cgs_verdict *verdict)
{
    const int64_t rows = cases[which].rows, sigma = cases[which].sigma;
    for (int64_t i = 0; i < rows; i++)
        seen[i] = false;
    for (int64_t i = 0; i < rows; i++) {
        const char *fault = NULL;
        const bool inside = y[i] >= 0.0 && y[i] < (double)rows && y[i] == floor(y[i]);
        const int64_t row = inside ? (int64_t)y[i] : 0, window = i / sigma;
        if (!inside)
            fault = "which is no row: this is not a permutation";
        else if (seen[row])
            fault = "which is in another place, too: this is not a permutation";
        else if (row / sigma != window)
            fault = "which has left its window";
        else if (i > window * sigma && x[1 + row] > x[1 + (int64_t)y[i - 1]])
            fault = "which is longer than the row before it: there is more padding than needed";
        if (fault)
            return cgs_verdict_wrong(
                verdict, 0, "%lld rows, sigma = %lld: place %lld (counted from 0) has row %g, %s",
                (long long)rows, (long long)sigma, (long long)i, y[i], fault);
        seen[row] = true;
    }
    return CGS_OK;
}

static enum cgs_status try_case(const struct cgs_callee *callee, int which,
                                struct cgs_verdict *verdict)
{
    const int64_t rows = cases[which].rows;
    struct cgs_calls *calls;
    double *x = NULL, *y = NULL;
    bool *seen = NULL;
    enum cgs_status status = cgs_calls_begin_plain(callee, rows, rows + 1, &calls);
    if (status == CGS_OK)
        status = cgs_alloc(callee->context, rows + 1, sizeof *x, "lengths", (void **)&x);
    if (status == CGS_OK)
        status = cgs_alloc(callee->context, rows, sizeof *y, "permutation", (void **)&y);
    if (status == CGS_OK)
        status = cgs_alloc(callee->context, rows, sizeof *seen, "marks", (void **)&seen);
    if (status == CGS_OK) {
        make_lengths(which, x);
        status = cgs_call(calls, x, y);
    }
    if (status == CGS_OK)
        status = compare(which, x, y, seen, verdict);
    cgs_free(callee->context, x);
    cgs_free(callee->context, y);
    cgs_free(callee->context, seen);
    cgs_calls_end(calls);
    return status;
}

enum cgs_status cgs_judge_sort(const struct cgs_judged *judged, struct cgs_verdict *verdict)
{
    struct cgs_callee callee;
    enum cgs_status status = cgs_judged_open(judged, verdict, &callee);
    cgs_verdict_solved(verdict);
    for (int i = 0; i < CASES && status == CGS_OK && verdict->state == CGS_EXERCISE_RIGHT; i++)
        status = try_case(&callee, i, verdict);
    cgs_callee_close(&callee);
    return cgs_verdict_of_failure(judged->context, status, verdict);
}
