#!/bin/sh
# Answers of the exercise transfer, on standard output. CGSOLVE: the program.
set -eu
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
run() {
    "$CGSOLVE" "$@" >"$folder/text" 2>&1 || { cat "$folder/text" >&2; exit 1; }
}
run spmv --N=64 --backend=cpu --kernel=crs_row,crs_merge,crs_gather --csv="$folder/cpu.csv"
run spmv --N=64 --kernel=crs_warp --csv="$folder/gpu.csv"
run --N=64 --tol=1e-8 --json="$folder/cg.json"

# A table's column NAME for the kernels that match a pattern.
column() {
    awk -F, -v kernel="^\"($2)\"\$" -v name="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i }
        $1 ~ kernel { print $column }' "$folder/$1.csv"
}
cpu=$(column cpu 'crs_row|crs_merge|crs_gather' median_seconds | sort -g | head -n 1)
gpu=$(column gpu crs_warp median_seconds)
convert=$(column gpu crs_warp convert_seconds)
transfer=$(column gpu crs_warp transfer_seconds)
iterations=$(sed -n 's/.*"iterations": *\([0-9]*\).*/\1/p' "$folder/cg.json" | head -n 1)

echo "# cgsolve exercise: transfer"
awk -v N=64 'BEGIN { printf "bytes = %.0f\n", 12 * (3 * N - 2) ^ 3 + 8 * (N ^ 3 + 1) }'
awk -v cpu="$cpu" -v gpu="$gpu" -v cost="$convert $transfer" -v iterations="$iterations" 'BEGIN {
    split(cost, part, " ")
    cost = part[1] + part[2]
    pays = cost / (cpu - gpu)
    printf "cpu = %.4g\ngpu = %.4g\ncost = %.4g\npays = %.4g\n", cpu, gpu, cost, pays
    printf "cg = %s   # %d iterations\n", pays > 0 && pays <= iterations ? "yes" : "no", iterations
}'
