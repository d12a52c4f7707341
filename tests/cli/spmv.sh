#!/usr/bin/env bash
# tests/cli/spmv.sh: cgsolve spmv as people and scripts meet it: options, exit statuses, the table as text,
# JSON and CSV, matrices from the box, from random numbers and from files. On the CPU, and no figure of
# time is believed.
set -u

# shellcheck source=tests/support/verdicts.bash
. "$(dirname "$0")/../support/verdicts.bash"

# runs NAME ARGUMENT...: ends with 0; text in out, JSON in NAME.json, CSV in NAME.csv.
runs() {
    local name=$1
    shift
    timeout 300 "$cgsolve" spmv --backend=cpu --repeat=5 --json="$name.json" --csv="$name.csv" "$@" \
        >out 2>err
    verdict "$*" $? "$(head -n 1 err)"
    valid_json "$name" "$name.json"
}

# Rows of the table in a state, by the JSON report.
count() { # FILE STATE
    grep -c "\"state\": \"$2\"" "$1"
}

echo "# Every kernel, on matrices that hurt"
for matrix in --N=1 --N=9 --random=3000,0.002,powerlaw --random=200,1 --random=400,1e-6; do
    for precision in single double; do
        runs all "$matrix" --kernel=all --precision=$precision
        same "$matrix $precision: none failed" "$(count all.json failed)" 0
        same "$matrix $precision: a row each in CSV" "$(($(wc -l <all.csv) - 1))" \
            "$(grep -c '"state"' all.json)"
    done
done
figure 'random 400,1e-6' all.json rows 400 0
runs chunked --N=9 --kernel=all --chunk=4 --sigma=64
same 'chunk and sigma as asked' "$(grep -c '"sigma": 64' chunked.json)" \
    "$(grep -c '"format": "sellc\?"' chunked.json)"

echo "# The report"
runs one --N=9 --kernel=crs_row
rows=$(($(nproc) > 1 ? 2 : 1)) # one thread alone is its own baseline
same 'what was asked for, and one thread' "$(grep -c '"name": "crs_row"' one.json)" $rows
same 'the others are references' "$(grep -c '"name": ' one.json)" \
    $(($(grep -c '"reference": true' one.json) + rows))
for key in version date arguments command cpu origin rows columns nonzeros bytes_crs name device \
    format threads state worst_error bytes_before bytes_after padding_bytes convert_seconds \
    prepare_seconds products median_seconds min_seconds max_seconds gbs speedup exit_status; do
    grep -q "\"$key\":" one.json
    verdict "JSON key $key" $?
done
figure 'N = 9' one.json nonzeros 15625 0
figure 'N = 9' one.json bytes_before $((15625 * 12 + 730 * 8)) 0
figure 'N = 9' one.json products 5 0
same 'command' "$(value command one.json)" spmv
same 'exit status' "$(value exit_status one.json)" 0
same 'CSV and JSON name the same' "$(tr ',' '\n' <one.csv | grep -c median_seconds)" 1
grep -q 'crs_row' out && grep -q 'median' out && grep -q 'Verified' out
verdict 'the table names kernel, median, verification' $?
runs cold --N=5 --kernel=crs_row,sell_chunk --cold
grep -q '"cold": true' cold.json && grep -q 'caches flushed' out
verdict '--cold is said' $?
"$cgsolve" spmv --N=4 --backend=cpu --kernel=crs_row --repeat=2 --json=- >alone.json 2>err
verdict '--json=- alone' $? "$(head -n 1 err)"
valid_json '--json=-' alone.json

echo "# Kernels of another machine are rows, not failures"
runs other --N=4 --kernel=crs_warp,crs_row
same 'crs_warp is skipped on the CPU' \
    "$(awk '/"name": "crs_warp"/ { found = 1 } found && /"state"/ { print $2; exit }' other.json)" '"skipped",'
grep -q '^Skipped' out
verdict 'and said to be' $?

echo "# --kernel=auto"
runs auto --N=9
for word in 'Auto' 'rows of 8 to 27 entries' 'candidates: ' 'takes '; do
    grep -q "$word" out
    verdict "auto says '$word'" $?
done
same 'auto is marked in the table' "$(grep -c '^\* ' out)" 2
grep -q '"choice"' auto.json && [ "$(grep -c '"chosen": true' auto.json)" = 1 ]
verdict 'auto is in the JSON report' $?
runs format --N=9 --format=crs
same '--format=crs holds for auto' "$(grep -c '"format": "sell"' format.json)" 0

echo "# --reproducible: auto takes what a solve takes, by the lengths of rows"
runs even --N=9 --kernel=crs_row --save-matrix=even.mtx
awk 'BEGIN {
    n = 400
    print "%%MatrixMarket matrix coordinate real symmetric\n" n, n, 2 * n - 1
    for (i = 1; i <= n; i++) print i, i, 2 * n
    for (i = 2; i <= n; i++) print i, 1, 1 }' >arrow.mtx
for options in even.mtx arrow.mtx 'arrow.mtx --format=sell' 'even.mtx --format=sellc' \
    'even.mtx --chunk=2 --sigma=16' 'even.mtx --format=crs --precision=single'; do
    # shellcheck disable=SC2086 # words
    runs bits --matrix=$options --reproducible
    # shellcheck disable=SC2086 # words
    timeout 120 "$cgsolve" --backend=cpu --matrix=$options --reproducible --json=solve.json >text 2>err
    verdict "a solve of $options" $? "$(head -n 1 err)"
    kernel=$(value kernel solve.json)
    case $(value format solve.json) in
    sell*) kernel="$kernel ($(value format solve.json | tr '[:lower:]' '[:upper:]')-$(value chunk solve.json)-$(value sigma solve.json))" ;;
    esac
    same "$options: spmv takes the same kernel and layout" "$(sed -n 's/^ *"chosen": "\(.*\)",$/\1/p' bits.json)" "$kernel"
    same 'and timed nothing to choose it' "$(value measured bits.json) $(value products bits.json)" 'false 0'
    grep -q 'by the lengths of$\|by the lengths of rows' out
    verdict 'and says so' $?
done

echo "# Matrices to and from files"
runs save --N=3 --kernel=crs_row --save-matrix=q1.mtx
head -n 1 q1.mtx | grep -q '%%MatrixMarket matrix coordinate real symmetric'
verdict 'the box is saved as symmetric' $?
runs back --matrix=q1.mtx --kernel=all
figure 'read again' back.json nonzeros 343 0
same 'its origin' "$(value origin back.json)" file
runs rand --random=300,0.02 --kernel=crs_row --save-matrix=random.mtx
head -n 1 random.mtx | grep -q 'general'
verdict 'a random one as general' $?
runs randback --matrix=random.mtx --kernel=crs_row
same 'read again, the same entries' "$(value nonzeros rand.json)" "$(value nonzeros randback.json)"

echo "# Cells of order p: kernels without entries beside those of their rows"
# Of c >= 3 cells a line has e = (c - 2) (p - 1) (p + 1) + 2 (p - 1) p + (c - 3) (2 p + 1) + 4 p entries:
# boxes by Gauss's rule e^3, with a = e - n stars n^3 + 3 a n^2, three planes n^3 + 3 a n^2 + 3 a^2 n.
mesh() { # JSON FILE: what the matrix is
    echo "$(value order "$1") $(value rows "$1") $(value nonzeros "$1")"
}
timed() { # JSON FILE: kernels without entries that were timed
    awk '/"name":/ { name = $2 } /"state": "timed"/ && name ~ /order/ { print name }' "$1" | tr -d '",\n'
}
while read -r kernels entries options; do
    # shellcheck disable=SC2086 # words
    runs order --kernel=all $options
    same "$options: none failed" "$(count order.json failed)" 0
    same "$options: kernels of the mesh" "$(timed order.json)" "$kernels"
    # shellcheck disable=SC2086 # words
    timeout 300 "$cgsolve" --backend=cpu --format=crs --precond=jacobi $options --json=solve.json >text 2>err
    same "$options: the matrix of a solve" "$(mesh order.json)" "$(mesh solve.json)"
    same "$options: entries" "$(value nonzeros order.json)" "$entries"
done <<'ROWS'
orderorder_cells 444943 --order=4 --N=31
orderorder_cells 13184 --order=3 --cells=5x4x3 --size=1x2x3 --precision=single
order_cells 166375 --order=2 --N=15 --quadrature=gauss
order_cells 249704 --order=5 --N=14 --deform=0.1 --kappa=jump:1000
order_cells 2048383 --order=8 --N=15 --deform=0.1 --kappa=smooth --quadrature=gauss
order_cells 166375 --order=2 --N=15 --deform=0.1 --quadrature=gauss --problem=mass
ROWS
for key in gflops attainable_gflops limit limit_share; do
    grep -A 45 '"name": "order_cells"' order.json | grep -q "\"$key\":"
    verdict "order_cells has $key" $?
    ! grep -q "\"$key\":" one.json
    verdict "of order 1 there is no $key" $?
done
grep -q 'GFLOP/s' out && grep -q 'registers where those' out
verdict 'the table has operations' $?
grep -q 'Q2 mass matrix of the box, N = 15' out && [ "$(value problem order.json)" = mass ]
verdict 'the mass matrix is named' $?
runs order --order=3 --kernel=order_cells,stencil,sell_chunk
same 'N fits by default' "$(mesh order.json)" "3 $((62 * 62 * 62)) $((3 * 240 * 62 * 62 + 62 * 62 * 62))"
same 'a kernel of order 1 is skipped' "$(count order.json skipped)" 2
grep -q 'stencil (none): it computes cells of order 1, and' out
verdict 'and says why' $?
runs order --order=4 --N=15 --format=none
same '--format=none: auto takes the kernel of the star, or of cells' \
    "$(sed -n 's/^ *"chosen": "\(order[a-z_]*\)",$/yes/p' order.json)" yes
runs order --order=4 --N=15 --reproducible --format=sellc --save-matrix=order.mtx
runs back --matrix=order.mtx --kernel=crs_row
same 'rows saved and read again' "$(value nonzeros back.json)" "$(value nonzeros order.json)"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
