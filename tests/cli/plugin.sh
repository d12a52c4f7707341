#!/usr/bin/env bash
# tests/cli/plugin.sh [cuda]: kernels of one's own through the program. Those that cheat are caught and
# named, and the other rows of the table are there; inside CG each failure is one of the report, too;
# what is no kernel is a file error; right ones solve as well as cgsolve's own.
#
# Sources are tests/user_kernels/*.c, compiled on the spot; with `cuda` tests/user_kernels/*.cu and the example, which
# make check has compiled (77, skipped, without a device or without them).
set -u

# shellcheck source=tests/support/user_kernels.bash
. "$(dirname "$0")/../support/user_kernels.bash"
mode=${1:-cpu}
export CGSOLVE_TEST=part=0.02,battery=0,seconds=2

runs() { # FILE ARGUMENT...: JSON report in FILE; returns the exit status
    local file=$1
    shift
    rm -f "$file"
    timeout 300 "$cgsolve" "$@" --json="$file" >out 2>err
}

# says NAME PATTERN: standard error is that, and the JSON report f.json has it, too.
says() {
    local message
    message=$(sed -n 's/^cgsolve: //p' err | head -n 1)
    grep -Eq -- "$2" err
    verdict "$1: says '$2'" $? "$message"
    grep '"error_message"' f.json | grep -Eq -- "$2"
    verdict "$1: and the JSON report does" $?
}

# ---- the laboratory ----

# row NAME STATE PATTERN: of table.csv; reason matches PATTERN.
row() {
    local line
    line=$(grep -E "^([^,]*,)?\"?[^,]*$1\"?," table.csv | head -n 1)
    echo "$line" | grep -Eq ",\"?$2\"?,"
    verdict "$1 is $2" $? "${line:-no such row}"
    [ -z "$3" ] && return
    echo "$line" | grep -Eq -- "$3"
    verdict "$1: '$3'" $? "$line"
}

# tries KERNEL...: one table of all of them.
tries() {
    local list
    list=$(printf ',%s' "$@")
    runs f.json spmv "${problem[@]}" --repeat=6 --csv=table.csv --kernel="${list#,}"
}

if [ "$mode" = cuda ]; then
    kernels=
    for folder in "$build" "$sources"; do
        [ -f "$folder/tests/user_kernels/elsewhere.so" ] && kernels=$folder/tests/user_kernels
    done
    if [ -z "$kernels" ]; then
        echo "SKIP: there are no CUDA kernels of tests/user_kernels here"
        exit 77
    fi
    if ! runs probe.json --backend=cuda --N=4; then
        echo "SKIP: $(head -n 1 err)"
        exit 77
    fi
    ln -s "$kernels" k
    problem=(--N=24 --backend=cuda)
    echo "# CUDA: the table"
    tries crs_warp k/elsewhere.so k/fault.so k/hang_device.so k/past_end_device.so \
        k/input_device.so k/half_device.so k/example.so
    same 'exit status' $? 2
    row crs_warp timed ''
    row k/example.so timed ''
    row k/elsewhere.so failed 'nan, should be|works elsewhere than on the stream'
    row k/fault.so failed 'broke its device in its [0-9]+[a-z]+ product: .*CUDA'
    row k/hang_device.so failed 'took longer than .* s in its [0-9]+[a-z]+ product'
    row k/past_end_device.so failed 'the byte 0 behind the end of y was changed'
    row k/input_device.so failed 'writes into its input: x\[0\] was changed'
    row k/half_device.so failed 'row 6912 of 13824 .*nan'
    echo "# CUDA: inside CG"
    for precision in double single; do
        for launch in plain graph; do
            runs own.json --backend=cuda --N=31 --kernel=k/example.so --precision=$precision \
                --launch=$launch
            same "example.so, $precision, $launch: exit status" $? 0
            runs ours.json --backend=cuda --N=31 --kernel=crs_warp --precision=$precision
            near "$(value iterations own.json)" "$(value iterations ours.json)" 0.02
            verdict 'as many iterations as with crs_warp' $? "$(value iterations own.json)"
        done
    done
    for kernel in elsewhere fault hang_device half_device; do
        runs f.json --backend=cuda --N=24 --kernel=k/$kernel.so
        same "$kernel: exit status" $? 2
        says $kernel "kernel 'k/$kernel.so'"
    done
    for kernel in fault hang_device; do
        CGSOLVE_TEST=$CGSOLVE_TEST,at=40 runs f.json --backend=cuda --N=24 --launch=plain \
            --kernel=k/$kernel.so
        same "$kernel in its 40th product: exit status" $? 2
        says $kernel "kernel 'k/$kernel.so'"
    done
    echo "$passed passed, $failed failed"
    [ $failed = 0 ]
    exit
fi

ln -s "$sources/examples" e
problem=(--N=2 --backend=cpu)
export OMP_NUM_THREADS=2 # with more than four seven.c is wrong on 8 rows already

echo "# Other matrices than the one that is asked for: 8 rows of 8 entries"
CGSOLVE_TEST=part=0.02,seconds=2 \
    tries crs_row k/small/only18.c k/small/no_gaps.c k/small/square.c k/small/seven.c k/small/narrow.c k/small/overflow.c k/small/overread.c
same 'exit status' $? 2
row k/small/only18.c failed 'on another matrix .one full row, 300 x 300, double, 2 threads.: row 150 .*all with more than 1 entries'
row k/small/no_gaps.c failed 'on another matrix .no entries, 40 x 40, double, 2 threads.: '
row k/small/square.c failed 'on another matrix .more (rows|columns) than (rows|columns), .*; the compiler says: .*square.c:[0-9]+:[0-9]+: warning: unused variable .longest'
if echo 'int main(void) { return 0; }' | cc -fsanitize=undefined -x c -o checked - 2>/dev/null; then
    row k/small/overflow.c failed 'compiled with -O0 and checks: .*overflow.c:[0-9]+:[0-9]+: runtime error: signed integer overflow: .*; on another matrix .many rows, 60000 x 60000, double, 2 threads.: .*ended its process by exit.1. in its 1st product'
else
    echo "skipped: k/small/overflow.c: no sanitizer for undefined behaviour here"
fi
if grep -q '^#define CGS_ASAN "/' "$build/config.h" 2>/dev/null; then
    row k/small/overread.c failed 'compiled with -O0 and checks: overread.c:11: heap-buffer-overflow; '
else
    echo "skipped: k/small/overread.c: no address sanitizer here that can be loaded"
fi
row k/small/seven.c failed 'on another matrix .one full row, 300 x 300, double, 7 threads.: '
row k/small/narrow.c failed 'on another matrix .*, single, 2 threads.: .*'
tries crs_row k/small/only18.c
same 'the same without other matrices: exit status' $? 0

echo "# Rows of order 3"
problem=(--order=3 --N=8 --deform=0.1 --backend=cpu)
tries crs_row order_cells e/crs_kernel.c
same 'exit status' $? 0
row crs_kernel.c timed ''
row order_cells timed ''
problem=(--N=6 --backend=cpu)

echo "# The table"
tries crs_row k/again.c k/once.c k/half.c k/nan.c k/seed.c k/past_end.c k/before.c k/far.c \
    k/late.c k/rewrites.c k/skips.c k/floats.c k/small/only18.c k/racy.c k/input.c k/matrix.c k/crash.c k/abort.c k/hang.c k/sleeps.c k/exits.c k/forks.c k/closes.c k/loads.c k/babbles.c \
    k/sell.c e/crs_kernel.c
same 'exit status' $? 2
for kernel in crs_row k/sell.c e/crs_kernel.c; do
    line=$(grep -E "^([^,]*,)?\"?$kernel\"?," table.csv | head -n 1)
    case $line in # dropped: on a machine that is busy elsewhere
    *timed* | *dropped*) true ;;
    *) false ;;
    esac
    verdict "$kernel is right and timed" $? "${line:-no such row}"
done
row k/again.c failed 'row [0-9]+ of 216 .*should be'
row k/once.c failed 'row [0-9]+ of 216 .*nan, should be'
row k/half.c failed 'row 108 of 216 .*nan, should be .*; 108 of 216 rows are wrong: the last ones, not written'
row k/nan.c failed 'row 215 of 216 .*nan, should be .*; 1 of 216 rows is wrong: the last one'
row k/floats.c failed '; (all|[0-9]+ of) 216 rows are wrong.*, but right to single precision'
row k/small/only18.c failed '; [0-9]+ of 216 rows are wrong: all with more than 18 entries'
row k/racy.c failed 'it differs from run to run .* a race[?]'
row k/late.c failed 'its product [0-9]+ with an x of its own is wrong: w.y is .*, but w.A x is '
row k/rewrites.c failed "it has changed [0-9]+ numbers of an input in the program.s memory"
row k/skips.c failed 'its product [0-9]+ with an x of its own is wrong'
row k/seed.c failed 'row 72 of 216 .*1000, should be .*; 1 of 216 rows is wrong'
row k/past_end.c failed 'the byte 0 behind the end of y was changed|it went outside of y'
row k/before.c failed 'the byte 8 before the begin of y was changed'
crash='' far='' # the source lines, where there is an addr2line
if command -v addr2line >/dev/null; then
    crash=', crash.c:[0-9]+' far=', (far.c|user_kernel.h):[0-9]+'
fi
row k/far.c failed "SIGSEGV in its 1st product: it went outside of y$far"
row k/input.c failed 'SIGSEGV in its 1st product: it wrote into x, its input'
row k/matrix.c failed 'SIGSEGV in its 1st product: it wrote into the matrix'
row k/crash.c failed "SIGSEGV in its 3rd product: it followed a null pointer$crash"
row k/abort.c failed 'SIGABRT in its 5th product'
row k/hang.c failed 'took longer than 2 s in its 3rd product'
row k/sleeps.c failed 'took longer than 2 s in its 2nd product'
row k/exits.c failed 'ended its process by exit.0. in its 2nd product'
row k/forks.c failed 'ended its process by exit.9. in its 1st product'
row k/closes.c failed 'ended its process by exit.0. after its 3rd product'
row k/babbles.c failed 'wrote to a descriptor that is not its own'
row k/loads.c failed 'SIGABRT while it was loaded'
valid_json 'the table' f.json

tries crs_row k/nan.c
same 'one of two: exit status' $? 2
says 'kernels that nobody asked for do not count' '^(cgsolve: )?1 of 2 kernels failed: k/nan.c|"1 of 2 kernels failed: k/nan.c'

echo "# One precision, and a word of the kernel's own"
tries k/refuses.c
same 'exit status' $? 2
row k/refuses.c failed 'this is too much'
if binds_threads; then
    OMP_PROC_BIND=true OMP_PLACES=threads tries k/refuses.c
    row k/refuses.c failed "this is too much for $processors processors" # not for the one of the program's first thread
fi
problem=(--N=6 --backend=cpu --precision=single)
tries crs_row k/refuses.c
same 'exit status' $? 0
row k/refuses.c skipped 'not there in single precision'
timeout 300 "$cgsolve" spmv --N=4 --repeat=3 --kernel=k/prints.c --json=- >f.json 2>err
same 'a kernel that prints: exit status' $? 0
valid_json 'a kernel that prints' f.json

echo "# Inside CG: right ones"
for precision in double single; do
    runs ours.json --backend=cpu --N=9 --kernel=crs_row --precision=$precision
    for kernel in e/crs_kernel.c 'k/sell.c --sigma=16' 'k/sell.c --chunk=4 --precond=jacobi'; do
        # shellcheck disable=SC2086 # options are words
        runs own.json --N=9 --precision=$precision --kernel=$kernel
        same "$kernel, $precision: exit status" $? 0
        near "$(value iterations own.json)" "$(value iterations ours.json)" 0.1
        verdict 'about as many iterations' $? "$(value iterations own.json)"
        same 'its name in the report' "$(value kernel own.json)" "${kernel%% *}"
    done
done
runs own.json --N=9 --kernel=e/crs_kernel.c --reproducible
same '--reproducible with the example: exit status' $? 0
runs f.json --N=9 --kernel=k/slow.c --reproducible
same '--reproducible with one that does not promise it: exit status' $? 1
says slow.c 'may give other bits'
runs own.json --N=9 --kernel=k/sell.c --plan
same '--plan: exit status' $? 0
grep -q 'SELL-8-1, double.*kernel k/sell.c' out
verdict '--plan names it' $?
runs f.json --N=9 --kernel=k/sell.c --format=crs
same 'another format: exit status' $? 1
says sell.c 'takes --format=sell: leave out --format=crs'
runs f.json --N=8 --kernel=k/refuses.c --precision=single
same 'another precision: exit status' $? 1
says refuses.c 'not there in single precision'

echo "# Inside CG: found before"
inside() { # KERNEL PATTERN
    runs f.json --N=6 --kernel="k/$1"
    same "$1: exit status" $? 2
    same 'exit_status in JSON' "$(value exit_status f.json)" 2
    says "$1" "$2"
    valid_json "$1" f.json
    ! grep -q -- --precond err # none would help
    verdict "$1: no advice on CG" $?
    same 'no report on standard output' "$(wc -c <out)" 0
}
inside again.c "kernel 'k/again.c': row [0-9]+"
inside half.c "kernel 'k/half.c': row 108 of 216"
inside seed.c "kernel 'k/seed.c': row 72 of 216"
inside crash.c "kernel 'k/crash.c' was ended by SIGSEGV in its 3rd product"
inside hang.c "kernel 'k/hang.c' took longer than 2 s in its 3rd product"
inside loads.c "kernel 'k/loads.c' was ended by SIGABRT while it was loaded"

echo "# Inside CG: later than it was looked at"
usual=$CGSOLVE_TEST
CGSOLVE_TEST=$usual,at=20
inside crash.c "kernel 'k/crash.c' was ended by SIGSEGV in its 20th product: nothing is known"
inside hang.c "kernel 'k/hang.c' took longer than 2 s in its 20th product, and was ended: nothing"
inside exits.c "kernel 'k/exits.c' ended its process by exit.0. in its 20th product"
CGSOLVE_TEST=$usual

echo "# Inside CG: one whose process would never end"
timeout 60 "$cgsolve" --N=6 --kernel=k/stays.c --json=f.json >out 2>err
same 'stays.c: exit status' $? 0
same 'stays.c: status in JSON' "$(value status f.json)" converged
grep -q converged out
verdict 'stays.c: and the report on standard output' $?
timeout 60 "$cgsolve" spmv --N=4 --repeat=3 --kernel=k/stays.c --json=f.json >out 2>err
same 'stays.c in the laboratory: exit status' $? 0
CGSOLVE_TEST=$usual,at=3 timeout 60 "$cgsolve" --N=6 --kernel=k/sticks.c --json=f.json >out 2>err
same 'sticks.c: exit status' $? 2
says sticks.c "kernel 'k/sticks.c' took longer than 2 s in its release"
timeout 60 "$cgsolve" --N=6 --kernel=k/begins.c --json=f.json >out 2>err
same 'begins.c: exit status' $? 2
says begins.c "kernel 'k/begins.c' took longer than 2 s while it was loaded"

echo "# Inside CG: one that changes its process"
umask 022
CGSOLVE_TEST=$usual,at=5 timeout 60 "$cgsolve" --N=6 --kernel=k/moves.c --json=moved.json --history=moved.csv \
    --output=moved.mtx >out 2>err
same 'moves.c: exit status' $? 0
[ -s moved.json ] && [ -s moved.csv ] && [ -s moved.mtx ] && [ ! -e /moved.json ]
verdict 'moves.c: reports are where they were to be' $?
same 'moves.c: their permissions' "$(stat -c %a moved.json moved.csv moved.mtx 2>/dev/null | sort -u)" 644
grep -q '^ *"status": "converged"' moved.json && ! grep -q 'a word of' out && grep -q 'a word of' err
verdict 'moves.c: what it says is not in the report' $?
same 'moves.c: numbers with a point, three columns' "$(awk -F, 'NF != 3' moved.csv | wc -l)" 0
CGSOLVE_TEST=$usual,at=5 timeout 60 "$cgsolve" --N=6 --kernel=k/moves.c --json=- >f.json 2>err
same 'moves.c, --json=-: exit status' $? 0
valid_json 'moves.c, --json=-' f.json
for first in 1 3; do # what cannot be written any more is said
    rm -f moved.json
    CGSOLVE_TEST=$usual,at=20,closes=$first timeout 60 "$cgsolve" --N=6 --kernel=k/moves.c --json=moved.json >out 2>err
    status=$?
    if [ $status = 0 ]; then
        grep -q converged out && [ "$(value status moved.json)" = converged ]
        verdict "moves.c, descriptors from $first on closed: whole reports" $?
    else
        [ $status = 4 ] && [ "$(value exit_status moved.json)" = 4 ] && [ ! -s out ]
        verdict "moves.c, descriptors from $first on closed: status 4, in the report, too" $? "$status"
    fi
done

echo "# A name that would move the cursor"
runs f.json --N=4 --kernel=$'./a\033[31m\u009b.so'
same 'escapes in a name: exit status' $? 4
! LC_ALL=C grep -q $'\033\|\xc2\x9b' err
verdict 'escapes in a name: none on standard error' $?

echo "# Interrupted, as any solve"
"$cgsolve" --N=20 --kernel=k/slow.c --tol=1e-14 --check-every=1 --verbose --json=f.json >out 2>err &
solver=$!
for _ in $(seq 600); do
    grep -q 'iteration' err && break
    sleep 0.1
done
kill -TERM $solver
wait $solver
same 'SIGTERM: exit status' $? 130
grep -q 'interrupted after [0-9]* iterations' f.json
verdict 'with the report so far' $?

echo "# What is no kernel"
no_kernel() { # FILE PATTERN
    runs f.json --N=4 --kernel="$1"
    same "$1: exit status" $? 4
    says "$1" "$2"
    runs f.json spmv --N=4 --kernel="$1,crs_row"
    same "$1 in the laboratory: exit status" $? 4
}
echo 'no library' >text.so
no_kernel ./text.so "kernel './text.so' can't be loaded as a shared library"
no_kernel text.so "kernel 'text.so' can't be loaded as a shared library"
mkfifo pipe.so pipe.c
for name in ./pipe.so pipe.c ./ /dev/null; do
    no_kernel $name "kernel '$name' is no regular file: expected is a shared library"
done
no_kernel ./nothing.so "kernel './nothing.so' can't be read: No such file"
no_kernel k/syntax.c "kernel 'k/syntax.c' does not compile"
no_kernel k/abi.c 'version 7 of cgsolve/kernel.h, and this cgsolve has 2'
no_kernel k/no_symbol.c "defines no symbol 'cgsolve_kernel'"
no_kernel k/fields.c 'apply is NULL'
TMPDIR=/nonexistent runs f.json --N=4 --kernel=k/nan.c
same 'no folder to compile in: exit status' $? 4
bare=(unshare -m sh -c 'mount -t tmpfs none /proc && exec "$@"' bare)
example=$build/examples/crs_kernel.so
if [ -f "$example" ] && ! "$cgsolve" --version | grep -q -- -fsanitize && "${bare[@]}" true 2>/dev/null; then
    timeout 120 "${bare[@]}" "$cgsolve" spmv --backend=cpu --N=4 --repeat=2 --kernel="$example" >out 2>err
    same 'no /proc to start a worker from: exit status' $? 4
    grep -q 'no process for kernel .*is /proc mounted' err
    verdict 'and says so' $? "$(head -n 1 err)"
fi
"$cgsolve" '(kernel)' </dev/null >out 2>err
[ $? = 1 ]
verdict 'the word for workers is for nobody else' $?

echo "# The header"
header=$sources/include/cgsolve/kernel.h
cc -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c "$header" 2>err
verdict 'is C99, alone' $? "$(head -n 1 err)"
if command -v c++ >/dev/null; then
    c++ -std=c++11 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c++ "$header" 2>err
    verdict 'is C++11, alone' $? "$(head -n 1 err)"
fi
sed -n '/^ \*     #include/,/NULL, apply, NULL};/s/^ \* \{0,5\}//p' "$header" >smallest.c
runs own.json --N=6 --kernel=./smallest.c
same 'its smallest kernel solves' $? 0
if [ -f "$build/examples/crs_kernel.so" ]; then
    runs own.json --N=6 --kernel="$build/examples/crs_kernel.so"
    same 'the example as a library solves' $? 0
fi

echo "# Ended while a kernel is compiled"
mkfifo never.h
echo '#include "never.h"' >waits.c # until somebody writes
for command in solve spmv; do
    "$cgsolve" $command --N=4 --kernel=./waits.c >out 2>err &
    process=$!
    tries=3000
    until [ -n "$(find "$TMPDIR" -name kernel.h)" ] || [ $((tries -= 1)) = 0 ]; do sleep 0.02; done
    kill -TERM $process
    wait $process 2>/dev/null
    status=$?
    [ $status = 143 ] || [ $status = 130 ]
    verdict "$command: SIGTERM ends it" $? "status $status; $(head -n 1 err)"
    ! grep -qsa -- "[-]I$TMPDIR/" /proc/[0-9]*/cmdline
    verdict 'and its compiler' $?
done

left=$(find "$TMPDIR" -mindepth 1)
[ -z "$left" ]
verdict 'nothing is left of compiling' $? "$left"
echo "$passed passed, $failed failed"
[ $failed = 0 ]
