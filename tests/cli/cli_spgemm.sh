#!/usr/bin/env bash
# tests/cli/cli_spgemm.sh: cgsolve spgemm as people and scripts meet it: options, exit statuses, products
# that are known, slabs of rows where the memory is small, the table as text, JSON and CSV. On the CPU,
# and no figure of time is believed.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"

# multiplies NAME ARGUMENT...: ends with 0; text in out, JSON in NAME.json, CSV in NAME.csv.
multiplies() {
    local name=$1
    shift
    timeout 300 "$cgsolve" spgemm --backend=cpu --repeat=2 --json="$name.json" --csv="$name.csv" "$@" \
        >out 2>err
    verdict "$*" $? "$(head -n 1 err)"
    valid_json "$name" "$name.json"
    same "$name: none failed" "$(grep -c '"state": "failed"' "$name.json")" 0
}

# general NAME ROWS COLUMNS ENTRY...: a coordinate file; an entry is "i j value".
general() {
    local name=$1 rows=$2 columns=$3
    shift 3
    {
        echo '%%MatrixMarket matrix coordinate real general'
        echo "$rows $columns $#"
        if [ $# -gt 0 ]; then printf '%s\n' "$@"; fi
    } >"$name"
}

# entries FILE: size line and entries, in their order.
entries() { grep -v '^%' "$1"; }

echo '# Wrong options'
general wide.mtx 2 3 '1 1 1' '2 3 4'
general tall.mtx 3 2 '1 2 5' '3 1 -2'
refuses 1 'A is 2 x 3 and B is A itself, 2 x 3: name another matrix by --matrix-b' spgemm --matrix=wide.mtx
refuses 1 'A is 2 x 3 and B 2 x 3' spgemm --matrix=wide.mtx --matrix-b=./wide.mtx
refuses 4 'finite number, found .NaN' spgemm --matrix="$sources/tests/matrices/value_nan.mtx"
refuses 4 'complex' spgemm --matrix="$sources/tests/matrices/complex_one_value.mtx"
if [ $device = no ]; then
    refuses 6 'cuda|CUDA' spgemm --backend=cuda --N=3
fi

echo '# Products that are known'
multiplies wide --matrix=wide.mtx --matrix-b=tall.mtx --output=c.mtx
same 'wide times tall' "$(entries c.mtx | tr '\n' ';')" '2 2 2;1 2 5;2 1 -8;'
multiplies tall --matrix=tall.mtx --matrix-b=wide.mtx --output=c.mtx
same 'tall times wide' "$(entries c.mtx | tr '\n' ';')" '3 3 2;1 3 20;3 1 -2;'
general empty.mtx 4 4
multiplies empty --matrix=empty.mtx --output=c.mtx
same 'nothing squared' "$(entries c.mtx)" '4 4 0'
general one.mtx 1 1 '1 1 -3'
multiplies one --matrix=one.mtx --output=c.mtx
same 'one by one' "$(entries c.mtx | tr '\n' ';')" '1 1 1;1 1 9;'
general cancels.mtx 2 2 '1 1 1' '1 2 1' '2 1 -1' '2 2 -1'
multiplies cancels --matrix=cancels.mtx --output=c.mtx
same 'entries that cancel are stored' "$(entries c.mtx | head -n 1)" '2 2 4'
general arrow.mtx 5 5 '1 1 1' '1 2 2' '1 3 3' '1 4 4' '1 5 5' '2 1 2' '3 1 3' '4 1 4' '5 1 5'
multiplies arrow --matrix=arrow.mtx --output=c.mtx
same 'a dense row and a dense column' "$(entries c.mtx | head -n 3 | tr '\n' ';')" '5 5 25;1 1 55;1 2 2;'
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n' >path.mtx
multiplies path --matrix=path.mtx --output=c.mtx
same 'paths of two steps' "$(entries c.mtx | tr '\n' ';')" '3 3 5;1 1 1;1 3 1;2 2 2;3 1 1;3 3 1;'
general big.mtx 1 1 '1 1 1e200'
multiplies big --matrix=big.mtx
multiplies tiny --matrix="$sources/tests/matrices/subnormals.mtx" --precision=single

echo '# Every kernel, on matrices that hurt'
for matrix in --N=1 --N=7 --random=300,1 --random=400,1e-6 --random=2000,0.004,powerlaw; do
    for settings in --precision=single '--precision=double --sort=no' --threads=1; do
        # shellcheck disable=SC2086
        multiplies all "$matrix" --kernel=all $settings
        same "$matrix $settings: a row each in CSV" "$(($(wc -l <all.csv) - 1))" \
            "$(grep -c '"state"' all.json)"
    done
done
figure 'N = 7 squared' all.json rows 2000 0
multiplies q1 --N=9
figure 'N = 9' q1.json products $((71 * 71 * 71)) 0
figure 'N = 9' q1.json entries $((39 * 39 * 39)) 0
figure 'N = 9' q1.json nonzeros 15625 0
figure 'N = 9' q1.json least_bytes $((12 * (2 * 15625 + 39 * 39 * 39) + 8 * (3 * 729 + 3))) 0
for key in version date arguments command cpu origin rows columns nonzeros products entries compression \
    least_bytes gustavson_bytes sorted name device threads state slabs host_bytes worst_error \
    projected_error first_seconds median_seconds min_seconds max_seconds begin_seconds count_seconds \
    alloc_seconds fill_seconds sort_seconds gflops gbs same_as exit_status; do
    grep -q "\"$key\":" q1.json
    verdict "JSON key $key" $?
done
same 'command' "$(value command q1.json)" spgemm
grep -q '^C = A B .*729 x 729, 59 319 entries of' out && grep -q '^A .*N = 9' out
verdict 'text: operands and product' $?

echo '# Slabs'
multiplies whole --random=1500,0.01 --output=whole.mtx
same 'one slab' "$(value slabs whole.json)" 1
multiplies slabs --random=1500,0.01 --threads=2 --output=slabs.mtx --memory-limit=6M # a thread takes memory, too
awk -v s="$(value slabs slabs.json)" 'BEGIN { exit !(s > 1) }'
verdict 'several slabs' $? "$(value slabs slabs.json)"
cmp -s <(sed '/^% /d' whole.mtx) <(sed '/^% /d' slabs.mtx)
verdict 'slabs give the same product, to the bit' $?
grep -q '^Memory .*slabs of rows' out
verdict 'and the text says so' $?
multiplies slabs1 --random=1500,0.01 --threads=2 --precision=single --memory-limit=5M
awk -v s="$(value slabs slabs1.json)" 'BEGIN { exit !(s > 1) }'
verdict 'several slabs in single precision' $? "$(value slabs slabs1.json)"
refuses 5 '--output.*|host memory' spgemm --backend=cpu --random=1500,0.01 --memory-limit=3M --output=no.mtx
[ ! -e no.mtx ]
verdict 'nothing is written then' $?
refuses 5 'matrix A needs .* is the limit' spgemm --backend=cpu --N=40 --memory-limit=1M
refuses 5 'counting.*is the limit' spgemm --backend=cpu --random=10000,1e-4 --memory-limit=700k
refuses 5 'of host memory' spgemm --random=2000000000,0.5 --backend=cpu
accepts spgemm --backend=cpu --threads=2 --random=1500,0.01 --plan --memory-limit=3M
grep -q 'in [0-9]* slabs of rows' out && grep -q 'matrix A' out
verdict '--plan: slabs and lines' $?

echo '# Reports'
multiplies a --N=8
multiplies b --N=8
accepts compare a.json b.json
multiplies c --N=10
if command -v gnuplot >/dev/null; then
    accepts spgemm --backend=cpu --N=6 --repeat=2 --plot=bars.svg
    grep -q '</svg>' bars.svg
    verdict 'a figure of bars' $?
    accepts compare a.json c.json --plot=lines.svg
    grep -q 'products a' lines.svg
    verdict 'a figure of time against products' $?
fi
"$cgsolve" spgemm --backend=cpu --N=6 --repeat=2 --json=- 2>err >stdout.json
verdict '--json=-' $?
valid_json '--json=-' stdout.json
if [ -w /dev/full ]; then
    "$cgsolve" spgemm --backend=cpu --N=6 --repeat=2 >/dev/full 2>err
    same 'a full disk: status 4' $? 4
fi
"$cgsolve" list kernels | grep -q '^  spgemm_rows .*cpu'
verdict 'list kernels knows them' $?
set -m # without job control, what runs in the background ignores SIGINT
"$cgsolve" spgemm --backend=cpu --N=8 --repeat=1000000 --verbose --json=stopped.json >out 2>err &
pid=$!
for _ in $(seq 600); do
    if grep -q 'timing' err || ! kill -0 $pid 2>/dev/null; then break; fi
    sleep 0.1
done
sleep 2 # rounds of all kernels
kill -INT $pid
wait $pid
same 'Ctrl-C: exit status' $? 130
set +m
[ "$(value exit_status stopped.json)" = 130 ] && grep -q interrupted err
verdict 'Ctrl-C: the report so far, 130' $? "$(tail -n 1 err)"
grep -q median_seconds stopped.json
verdict 'with what had been timed' $?

echo '# Awkward files, where they are there'
if [ -d "$shared/awkward/valid" ]; then
    square=0 refused=0
    for file in "$shared"/awkward/valid/*; do
        timeout 120 "$cgsolve" spgemm --backend=cpu --repeat=1 --matrix="$file" >out 2>err
        case $? in
        0) square=$((square + 1)) ;;
        1) refused=$((refused + 1)); grep -q 'as many columns of A as B has rows' err ||
            verdict "$file" 1 "$(head -n 1 err)" ;;
        4) grep -q complex err || verdict "$file" 1 "$(head -n 1 err)" ;;
        *) verdict "$file" 1 "$(head -n 1 err)" ;;
        esac
    done
    [ $square -gt 50 ]
    verdict "awkward files: $square multiplied, $refused not square" $?
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
