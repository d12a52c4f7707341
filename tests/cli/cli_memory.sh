#!/usr/bin/env bash
# tests/cli/cli_memory.sh: memory that a run does not get, what --plan says of it, and what fits instead.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"

echo "# Memory"
refuses 5 'needs .* of host memory: .*matrix values.*--memory-limit allows.*what fits:.*--N=' \
    --backend=cpu --N=64 --memory-limit=20M
refuses 5 'what fits: --precision=single' --backend=cpu --N=64 --memory-limit=80M
refuses 5 'what fits: nothing' --backend=cpu --memory-limit=1000
refuses 5 'what fits: --max-iterations=[1-9]' \
    --backend=cpu --N=8 --max-iterations=1000000000 --memory-limit=1G
# what is named can be typed, in place of what was asked for, and is planned to fit; three of them
refuses 5 'what fits' --backend=cpu --N=300 --precision=double --memory-limit=300M
sed -n 's/.*what fits: //p' err | tr , '\n' | sed 's/ *([^)]*)//; s/^ *//' >choices
same 'three choices are named' "$(grep -c '^--' choices)" 3
while read -r choice; do
    # shellcheck disable=SC2086
    instead '--N=300 --precision=double' $choice
    accepts --backend=cpu "${words[@]}" --memory-limit=300M --plan
    grep -q 'it fits' out || verdict 'and fits' 1
done <choices
# Nothing is allocated for it: it works with next to nothing, here 60 MB of address space beside its own libraries.
if [ "$instrumented" != yes ]; then
    find_little
    (
        ulimit -S -v "$little"
        timeout 120 "$cgsolve" --backend=cpu --N=1290 --threads=1 >out 2>err
        echo $? >status
    )
    same 'a refusal in 60 MB of address space' "$(cat status)" 5
fi
if [ $instrumented = no ]; then # a sanitizer takes more memory than all of this
    (ulimit -v 600000 && "$cgsolve" --backend=cpu --threads=1 --N=128) >out 2>err
    status=$?
    [ $status = 5 ] && grep -q 'host memory' err
    verdict 'ulimit -v: status 5' $? "status $status; $(head -n 1 err)"
    for options in '--N=7 --precond=amg' '--matrix=stack.mtx' 'spmv --N=5 --repeat=2' 'study --N=3,5' 'spgemm --N=3'; do
        [ -e stack.mtx ] || accepts --backend=cpu --N=4 --save-matrix=stack.mtx
        # shellcheck disable=SC2086 # words
        (ulimit -S -s 64 && timeout 120 "$cgsolve" $options --backend=cpu --threads=2) >out 2>err
        verdict "ulimit -S -s 64, $options: works" $? "$(head -n 1 err)"
        # A run that may raise a hard limit works with it, too.
        # shellcheck disable=SC2086 # words
        (ulimit -s 64 && timeout 120 "$cgsolve" $options --backend=cpu --threads=2) >out 2>err
        status=$?
        [ $status = 0 ] || { [ $status = 5 ] && grep -q 'the stack may take 64 kB (ulimit -s)' err; }
        verdict "ulimit -s 64, $options: works, or status 5" $? "status $status; $(head -n 1 err)"
    done
    # The smallest stack that is not raised, and a thread's, too: what takes most of it.
    least=$(sed -n 's/^enum { STACK_LEAST = \([0-9]*\) \* 1024 }.*/\1/p' "$sources/src/start/program.c")
    for options in '--N=7 --precond=mg --verbose --profile --json=s.json' '--source=x*y --N=7 --precond=amg --threads=3' '--N=7 --precond=fdm --kappa=smooth' \
        '--matrix=stack.mtx --precond=chebyshev --precision=mixed' 'spmv --N=5 --repeat=2' 'study --N=3,5' 'spgemm --N=3' \
        'compare s.json s.json' 'doctor' '--N=nothing' '--N=7 --cells=3x4x5'; do
        case $options in compare* | doctor) words=() ;; *) words=(--backend=cpu) ;; esac
        case $options in *nothing | *cells*) expected=1 ;; *) expected=0 ;; esac
        # shellcheck disable=SC2086 # words
        (ulimit -s "$least" && timeout 120 "$cgsolve" $options "${words[@]}") >out 2>err
        same "ulimit -s ${least:-unknown}, $options: status" $? $expected
    done
    (ulimit -v "$little" && "$cgsolve" --backend=cpu --threads=64 --N=7 --json=threads.json) >out 2>err
    status=$?
    [ $status = 5 ] && grep -q '64 threads could not be started .*--threads=[1-9]' err
    verdict 'threads that do not fit: status 5' $? "status $status; $(head -n 1 err)"
    same 'and a report, but no temporary' "$(ls threads.json*)" threads.json
    few=$(sed -n 's/.*--threads=\([0-9]*\) is what fits.*/\1/p' err)
    if without_libomp 'an end for lack of memory for threads'; then
        (ulimit -v "$little" && "$cgsolve" --backend=cpu --threads="${few:-64}" --N=7) >out 2>err
        verdict "what was said to fit does: --threads=$few" $? "$(head -n 1 err)"
    fi
fi
OMP_THREAD_LIMIT=2 refuses 1 'OMP_THREAD_LIMIT allows 2' --threads=8 --N=7
OMP_THREAD_LIMIT=1 solves limited.json --N=7
same 'threads as OMP_THREAD_LIMIT gives them' "$(value threads limited.json)" 1
if [ $instrumented = no ]; then
    OMP_NUM_THREADS=1100 solves many.json --N=3
    same 'no more threads than --threads can name' "$(value threads many.json)" 1024
fi
refuses 5 'host memory' --backend=cpu --N=64 --memory-limit=20M --plan
grep -q 'IT DOES NOT FIT' out && grep -q 'matrix columns' out && grep -Eq '^Largest N  3[0-9] as asked, 4[0-9] with --precision=single' out
verdict '--plan says that it does not fit, and what would' $?
accepts --backend=cpu --N=64 --plan
grep -Eq 'matrix values +55.* MB' out && grep -q 'it fits' out
verdict '--plan lists the matrix values' $?
"$cgsolve" --backend=cpu --N=31 --plan --json=- >plan.json 2>err
same '--plan --json=-' $? 0
valid_json '--plan --json=-' plan.json
for key in plan lines what place bytes host free fits largest_N variants options; do
    grep -q "\"$key\": " plan.json || verdict "JSON of --plan has $key" 1
done
! grep -Eq '"(device|predicted|read_gbs|history|error)":' plan.json
verdict 'and nothing that does not apply' $?
"$cgsolve" --backend=cpu --N=1000 --memory-limit=1G --plan --json=plan2.json >out 2>err
grep -q '"fits": false' plan2.json && grep -q '"largest_N": 139' plan2.json &&
    grep -q '"nonzeros": 26946035992' plan2.json
verdict 'a plan that does not fit in JSON, with what it would take' $?
"$cgsolve" --backend=cpu --order=8 --N=1007 --memory-limit=1G --plan --json=order.json >out 2>err
largest=$(value largest_N order.json)
[ $(((largest + 1) % 8)) = 0 ] && accepts --backend=cpu --order=8 --N="$largest" --memory-limit=1G --plan
verdict 'the largest N of order 8 is one of its own, and fits' $? "$largest"
refuses 5 'host memory' --backend=cpu --order=8 --N=$((largest + 8)) --memory-limit=1G --plan

echo "$passed passed, $failed failed"
[ $failed = 0 ]
