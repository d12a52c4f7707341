/* cgsolve exercise: product */
/* Expect: row .* of|an x of its own is wrong */
/* Multiplies once, and gives the same answer ever after: very fast, as x is the same. Is it? */
#include <string.h>

#include <cgsolve/exercise.h>

static void product(int64_t rows, const int64_t *pointers, const int32_t *column,
                    const double *values, const double *x, double *y)
{
    static double *answer;
    if (!answer) {
        answer = malloc((size_t)rows * sizeof *answer);
        for (int64_t i = 0; answer && i < rows; i++) {
            answer[i] = 0.0;
            for (int64_t k = pointers[i]; k < pointers[i + 1]; k++)
                answer[i] += values[k] * x[column[k]];
        }
    }
    if (answer)
        memcpy(y, answer, (size_t)rows * sizeof *y);
}

CGSOLVE_PRODUCT(product)
