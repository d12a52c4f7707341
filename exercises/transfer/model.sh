#!/bin/sh
# Answers of the exercise transfer, on standard output. CGSOLVE: the program.
set -eu
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
run() {
    "$CGSOLVE" "$@" >"$folder/text" 2>&1 || { cat "$folder/text" >&2; exit 1; }
}
run spmv --backend=cuda --N=64 --kernel=crs_warp --csv="$folder/table.csv"
run --N=64 --tol=1e-8 --json="$folder/cg.json"
iterations=$(sed -n 's/.*"iterations": *\([0-9]*\).*/\1/p' "$folder/cg.json" | head -n 1)

echo "# cgsolve exercise: transfer"
awk -F, -v N=64 -v iterations="$iterations" '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i; next }
    { gsub("\"", ""); seconds = $column["median_seconds"] }
    $column["device"] == "cpu" && (cpu == 0 || seconds < cpu) { cpu = seconds }
    $column["name"] == "crs_warp" {
        gpu = seconds
        cost = $column["convert_seconds"] + $column["transfer_seconds"]
    }
    END {
        pays = cost / (cpu - gpu)
        printf("bytes = %.0f\n", 12 * (3 * N - 2) ^ 3 + 8 * (N ^ 3 + 1))
        printf("cpu = %.4g\ngpu = %.4g\ncost = %.4g\npays = %.4g\n", cpu, gpu, cost, pays)
        print "cg = " (pays > 0 && pays <= iterations ? "yes" : "no") "   # " iterations " iterations"
    }' "$folder/table.csv"
