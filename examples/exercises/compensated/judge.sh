#!/bin/sh
# judge.sh N... FILE: judges a function sum_of. It runs in an empty folder of its own, contained, and prints the verdict.
#
# With each N the function adds 1 and N times 1e-16, whose sum is known.
for file; do :; done # the last word
cat >main.c <<'END'
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
double sum_of(int64_t n, const double *x);
int main(int argc, char **argv)
{
    FILE *verdict = fdopen(3, "w"); /* standard output is that of the function */
    for (int k = 1; k < argc; k++) {
        const int64_t n = atoll(argv[k]);
        double *x = malloc((n + 1) * sizeof *x);
        if (!x || !verdict)
            return 1;
        x[0] = 1.0;
        for (int64_t i = 1; i <= n; i++)
            x[i] = 1e-16;
        const double sum = sum_of(n + 1, x);
        if (!(fabs(sum - 1.0 - n * 1e-16) <= 4e-16)) {
            fprintf(verdict,
                    "state = wrong\nreason = the sum of 1 and %lld times 1e-16 should be 1 + %g, but "
                    "is 1 + %g\n",
                    (long long)n, n * 1e-16, sum - 1.0);
            if (sum == 1.0)
                fputs("code = nothing\n", verdict);
            return 0;
        }
        free(x);
    }
    fputs("state = right\n", verdict);
    return 0;
}
END
if ! cc -O2 -o main main.c "$file" -lm 2>said; then
    echo "state = broken"
    echo "reason = it does not compile: $(grep -m 1 error said)"
    exit 0
fi
sizes=
while [ $# -gt 1 ]; do # without FILE
    sizes="$sizes $1"
    shift
done
# shellcheck disable=SC2086 # words
./main $sizes 3>verdict >/dev/null 2>&1
status=$?
if [ $status = 0 ] && [ -s verdict ]; then
    cat verdict
else
    echo "state = wrong"
    echo "reason = it crashes, or ends the program: exit status $status"
    echo "code = crash"
fi
