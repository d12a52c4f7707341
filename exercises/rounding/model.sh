#!/bin/sh
# Answers of the exercise rounding, on standard output. CGSOLVE: the program.
set -eu
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
"$CGSOLVE" study --N=7,15,31,63 --quadrature=blended --tol=1e-10 --backend=cpu \
    --precision=double,single,mixed --csv="$folder/table.csv" >"$folder/text" 2>&1 ||
    { cat "$folder/text" >&2; exit 1; }

echo "# cgsolve exercise: rounding"
awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    { gsub("\"", ""); error[$column["precision"], $column["N"]] = $column["nodal_l2"] }
    END {
        best = 7
        for (N = 15; N <= 63; N = 2 * N + 1)
            if (error["single", N] < error["single", best])
                best = N
        printf "order = %.3f\n", log(error["double", 15] / error["double", 31]) / log(2)
        printf "best_N = %d\nbest_error = %.4g\n", best, error["single", best]
        printf "growth = %.4g\n", error["single", 63] / error["single", 31]
        printf "mixed_63 = %.4g\n", error["mixed", 63]
    }' "$folder/table.csv"
