#!/bin/sh
# Answers of the exercise thread-a-row, on standard output. CGSOLVE: the program.
set -eu
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
"$CGSOLVE" spmv --N=64 --kernel=crs_thread,crs_warp --csv="$folder/table.csv" >"$folder/text" 2>&1 ||
    { cat "$folder/text" >&2; exit 1; }

# Median seconds of a kernel.
median() {
    awk -F, -v kernel="\"$1\"" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == "median_seconds") column = i }
        $1 == kernel { print $column; exit }' "$folder/table.csv"
}

echo "# cgsolve exercise: thread-a-row"
echo "fetched_thread = 1024   # 32 rows, 216 bytes apart: 32 sectors of 32 bytes"
echo "used_thread = 256       # 32 x 8"
echo "fetched_warp = 256      # 216 bytes touch 7 sectors, or 8"
awk -v thread="$(median crs_thread)" -v warp="$(median crs_warp)" \
    'BEGIN { printf "ratio = %.3g\n", thread / warp }'
echo "why = coalescing"
