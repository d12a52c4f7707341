#!/usr/bin/env bash
# tests/cli/faults.sh [cpu|cuda]: every failure on purpose (--inject): its own exit status and message, in
# the JSON report, too; no file is left half-written; and what runs next on the same device runs well.
#
# On the CPU where nothing is said. tests/cli/faults_cuda.sh is the twin on the device: 77 (skipped)
# without one. The program is $CGSOLVE; nothing is written but in a folder of its own under $TMPDIR.
set -u

# shellcheck source=tests/support/verdicts.bash
# shellcheck source=tests/support/verdicts.bash
. "$(dirname "$0")/../support/verdicts.bash"
device=${1:-cpu}

# runs FILE ARGUMENT...: on the device, JSON report in FILE; returns the exit status.
runs() {
    local file=$1
    shift
    instead --N=15 "$@"
    timeout 120 "$cgsolve" --backend="$device" --json="$file" "${words[@]}" >out 2>err
}

if [ "$device" = cuda ] && ! runs probe.json; then
    echo "SKIP: $(head -n 1 err)"
    exit 77
fi

# well ARGUMENT...: a run without a fault converges as it always did.
well() {
    local iterations
    timeout 120 "$cgsolve" --backend="$device" --N=15 --json=well.json "$@" >well.out 2>well.err
    verdict "a run after it: $*" $? "$(head -n 1 well.err)"
    iterations=$(value iterations well.json)
    same "with as many iterations: $*" "$iterations" "${references["ran $*"]-}"
    if grep -q '"injected"' well.json || grep -q '^Injected' well.out; then
        verdict 'which nothing was injected into' 1
    fi
}

# before ARGUMENT...: a run before any fault; its iterations are kept for the runs after them.
declare -A references
before() {
    runs before.json "$@"
    verdict "before: $*" $? "$(head -n 1 err)"
    references["ran $*"]=$(value iterations before.json)
}

# fault NAME STATUS OUTCOME PATTERN ARGUMENT...: --inject=NAME ends with STATUS and, where CG came to
# an end, with solver.status OUTCOME ('' where it did not); standard error matches PATTERN ('' where
# nothing is said). Then a run without it.
fault() {
    local name=$1 status=$2 outcome=$3 pattern=$4 got message file
    shift 4
    rm -f f.json f.csv
    runs f.json --inject="$name" --history=f.csv "$@"
    got=$?
    same "$name $*: exit status" "$got" "$status"
    valid_json "$name $*" f.json
    same 'exit_status in JSON' "$(value exit_status f.json)" "$status"
    same 'injected in JSON' "$(value injected f.json)" "$name"
    message=$(sed -n '1s/^cgsolve: //p' err)
    if [ "$status" = 0 ]; then
        same 'nothing on standard error' "$(wc -c <err)" 0
    else
        grep -Eq -- "$pattern" err
        verdict "says '$pattern'" $? "$message"
        case $message in
        *"; injected by --inject=$name") true ;;
        *) false ;;
        esac
        verdict 'and that it was injected' $? "$message"
        grep -qF -- "\"error_message\": \"$message\"" f.json
        verdict 'the same message in JSON' $? "$(grep error_message f.json)"
    fi
    same 'solver.status' "$(value status f.json)." "$outcome."
    if [ -n "$outcome" ]; then
        grep -q '^Injected ' out
        verdict 'shown in the text' $?
        same 'a line of the history an iteration' "$(wc -l <f.csv)" \
            $(($(value iterations f.json) + 2))
    else
        [ ! -e f.csv ]
        verdict 'no history where there was no solve' $?
    fi
    file=$(find . -name '*.tmp*')
    [ -z "$file" ]
    verdict 'no temporary is left' $? "$file"
    well "$@"
}

# harmless NAME PATTERN ARGUMENT...: a fault that cannot come is a usage error.
harmless() {
    local name=$1 pattern=$2
    shift 2
    runs f.json --inject="$name" "$@"
    same "$name $*: exit status" $? 1
    grep -Eq -- "$pattern" err
    verdict "says '$pattern'" $? "$(head -n 1 err)"
    if grep -Eq '"injected"|injected by' f.json; then
        verdict "$name $*: did not happen, and is not said to" 1
    fi
}

# Every fault in one configuration.
every_fault() {
    local place=host
    [ "$device" = cpu ] || place=device
    before "$@"
    fault nan@5 3 not_finite 'breakdown in iteration 6: NaN or Inf' "$@"
    same 'the last residual is null' "$(grep -c '^ *null,\{0,1\}$' f.json)" 1
    fault bitflip@5 0 converged '' "$@"
    restarts=$(value restarts f.json)
    [ "${restarts:-0}" -ge 1 ] && grep -Eq 'restart' out
    verdict 'restarted, and says so' $? "$restarts"
    case " $* " in
    *jacobi*) fault indefinite 3 '' 'diagonal entry of row 724 .*not positive' "$@" ;;
    *) fault indefinite 3 not_positive_definite "breakdown in iteration [0-9]+: p'A p is not" "$@" ;;
    esac
    fault asymmetric 3 '' \
        'a\(724, 725\) = .* but a\(725, 724\) = .* the matrix is not symmetric' "$@"
    fault oom 5 '' \
        "of $place memory could not be allocated.*although the plan had fitted .*of $place memory" "$@"
    if [ "$device" = cuda ]; then
        fault cuda-error 6 '' 'CUDA: .*cudaError.*a kernel faulted: run again under compute-san' "$@"
        harmless cuda-hang 'needs the GPUs of several ranks' "$@"
    else
        harmless cuda-error 'needs a CUDA device, and this run is on the CPU' "$@"
        harmless cuda-hang 'needs a CUDA device, and this run is on the CPU' "$@"
    fi
}

launches=plain
[ "$device" = cpu ] || launches='plain graph'
for launch in $launches; do
    for format in crs sell; do
        for precision in double single; do
            echo "# $device, $format, $precision, $launch"
            every_fault --format=$format --precision=$precision --launch="$launch"
        done
    done
    echo "# $device, jacobi, $launch"
    every_fault --precond=jacobi --launch="$launch"
done

echo "# At the edges"
before
end=$(value iterations before.json)
fault nan@0 3 not_finite 'breakdown in iteration 1: NaN'
fault bitflip@0 0 converged ''
last=$((end - 1))
fault "nan@$last" 3 not_finite "breakdown in iteration $end: NaN"
fault "bitflip@$last" 0 converged ''
harmless "nan@$end" "was to come after iteration $end, but CG ended after"
harmless bitflip@100000 'was to come after iteration 100000, but CG ended after .*smaller number'
harmless nan@5 '--plan solves nothing' --plan
harmless asymmetric 'no entry beside the diagonal' --N=1
# A run with a failure of its own does not hide it behind the fault that did not come.
runs f.json --inject=nan@9 --max-iterations=4
same 'the limit before the fault: exit status' $? 2

echo "# The course benchmark never restarts"
before --problem=course
fault bitflip@5 2 residual_gap 'the recursion says .* but the true residual is' --problem=course

echo "# Every problem that has entries meets the negative eigenvalue"
for problem in $("$cgsolve" list problems | awk '/^  [a-z]/ && $1 != "mass" { print $1 }'); do
    for n in 3 4 31 48; do
        runs f.json --inject=indefinite --problem="$problem" --N=$n
        same "$problem, N = $n: exit status" $? 3
        same 'solver.status' "$(value status f.json)" not_positive_definite
    done
done

if [ "$device" = cpu ] && ! "$cgsolve" list backends | grep -Eq '^  cuda +not '; then
    echo "CUDA has its own: tests/cli/faults_cuda.sh"
elif [ "$device" = cpu ]; then
    echo "# CUDA where it is not to be had"
    "$cgsolve" --N=15 --inject=cuda-error >out 2>err
    same 'cuda-error where auto takes the CPU: exit status' $? 1
    grep -q 'needs a CUDA device, and this run is on the CPU, as ' err
    verdict 'and says why' $? "$(head -n 1 err)"
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
