#!/usr/bin/env bash
# tests/cli/doctor.sh: cgsolve doctor on this machine, and what can be provoked here for real: by the
# environment, by limits, by options. Machines that are not here are in check_doctor.c.
#
# The program is $CGSOLVE (./cgsolve where that is not set).
set -u
# shellcheck source=tests/support/verdicts.bash
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdicts.bash"
unset OMP_NUM_THREADS OMP_WAIT_POLICY OMP_PROC_BIND OMP_PLACES OMP_DYNAMIC OMP_THREAD_LIMIT
odd_processor
cut=$'\x1f' # parts the words of a finding: no text on a page holds a control character

# examine ARGUMENT...: the page in `page`, and a finding a line in `findings`, wrapped lines joined:
# verdict, name, value, costs, command, with $cut in between.
examine() {
    timeout 120 "$cgsolve" doctor "$@" >page 2>err
    local status=$?
    awk -v cut="$cut" 'NR == 1 || /^[0-9no]+ problem/ { next }
        {
            word = substr($0, 12, 9); name = substr($0, 21, 12); text = substr($0, 33)
            gsub(/ +$/, "", word); gsub(/ +$/, "", name)
        }
        word != "" { if (n++) print line; line = word cut name cut text; next }
        name != "" { line = line cut text; next }
        { line = line " " text }
        END { print line }' page >findings
    return $status
}

# finds NAME PATTERN [ARGUMENT...]: the doctor ends with status 0, and a finding matches PATTERN, whose @ is the cut.
finds() {
    local name=$1 pattern=${2//@/$cut}
    if ! examine "${@:3}"; then
        verdict "$name" 1 "exit status; $(head -n 1 err)"
    else
        grep -Eq -- "$pattern" findings
        verdict "$name" $? "no '$2' in: $(tr "$cut\n" '@;' <findings)"
    fi
}

echo "# The page"
examine
verdict 'a doctor who could look ends with 0' $?
grep -Eq '^(no problem( found|, [0-9]+ notes?)|[0-9]+ problems?(, [0-9]+ notes?)?)$' page
verdict 'the last line counts' $? "$(tail -n 1 page)"
[ -z "$processor" ] || tr -s ' ' <findings | grep -Fq "$(tr -s ' ' <<<"$processor")"
verdict 'the processor is called as it is' $? "$(grep -A 2 '^Processor' page)"
# A command is not broken on a narrow page either: what follows would be a finding of its own.
for columns in 80 60; do
    COLUMNS=$columns examine
    awk -F "$cut" '$1 == "ok" ? NF != 3 : NF != 5 || $4 == "" || $5 == ""' findings >wrong
    [ ! -s wrong ]
    verdict "$columns columns: each note and problem has its costs and one command" $? "$(head -n 1 wrong)"
done
examine
[ "$(grep -v '^ *mend by' page | awk 'length > 100' | wc -l)" = 0 ]
verdict 'no line but a command is wider than 100' $?
for section in Build OpenMP Processor Memory GPU Parts Files; do
    grep -q "^$section  " page || verdict "section $section" 1
done
counted=$(grep -Ec '^(note|PROBLEM)' findings)
said=$(tail -n 1 page | grep -oE '[0-9]+' | paste -sd+ | sed 's/^$/0/')
[ "$counted" = $((said)) ]
verdict 'the counts are those of the page' $? "$counted, not $said"

echo "# Options"
"$cgsolve" doctor --json=- >report.json 2>err
verdict '--json=-' $? "$(head -n 1 err)"
[ "$(sed -n 's/^  "command": "\(.*\)",/\1/p' report.json)" = doctor ] &&
    grep -q '"exit_status": 0' report.json && grep -q '"verdict": "ok"' report.json
verdict 'JSON names command, verdicts, exit status' $?
if command -v jq >/dev/null; then
    jq -e '([.findings[] | select(.verdict == "note")] | length) == .notes and
        ([.findings[] | select(.verdict == "problem")] | length) == .problems and
        ([.findings[] | select((.verdict == "ok") == has("mend"))] | length) == 0' \
        report.json >/dev/null
    verdict 'JSON: counts, and a command for each that is not ok' $?
fi
"$cgsolve" doctor --json=file.json >page 2>err && [ -s page ] && grep -q findings file.json
verdict '--json=FILE writes both' $?
"$cgsolve" doctor --json=/nonexistent/x >page 2>err
[ $? = 4 ] && [ ! -s page ] && grep -q 'the folder does not exist' err
verdict '--json to nowhere: status 4' $? "$(head -n 1 err)"
"$cgsolve" doctor --N=7 >page 2>err
[ $? = 1 ] && grep -q -- "--N belongs to 'cgsolve solve', 'cgsolve study', 'cgsolve spmv' and 'cgsolve spgemm', not to 'cgsolve doctor'" err
verdict 'other options: status 1' $? "$(head -n 1 err)"
"$cgsolve" --backend=cuda --device=999 --N=7 >page 2>err
[ $? = 6 ] && grep -q "'cgsolve doctor' says" err
verdict 'device trouble: sent to the doctor' $? "$(tail -n 1 err)"

echo "# OpenMP"
processors=$(nproc)
finds 'the runtime' '^ok@runtime@[^;]*omp[^;]*(; a library brings [^ ]*omp[^ ]*, too, .*)?$'
finds 'threads as many as processors' "^ok@threads@$processors on $processors"
OMP_NUM_THREADS=$((processors + 5)) finds 'too many threads' \
    "^PROBLEM@threads@$((processors + 5)) on $processors.*@export OMP_NUM_THREADS=$processors\$"
finds 'too many by --threads' "^PROBLEM@threads@.*@cgsolve --threads=$processors\$" \
    --threads=$((processors + 3))
! without_libomp 'an end where OMP_NUM_THREADS is no number' || OMP_NUM_THREADS=seven finds 'a number that is none' \
    "^note@number@OMP_NUM_THREADS=seven@.*ignored.*@export OMP_NUM_THREADS="
OMP_DYNAMIC=true finds 'OMP_DYNAMIC' '^note@dynamic@.*@export OMP_DYNAMIC=false$'
OMP_WAIT_POLICY=passive finds 'OMP_WAIT_POLICY' '^note@waiting@.*@unset OMP_WAIT_POLICY$'
OMP_WAIT_POLICY=active finds 'an active one' '^ok@waiting@'
OMP_STACKSIZE=2G finds 'large stacks' '^note@stacks@.*address space.*@unset OMP_STACKSIZE$' \
    --threads=1
OMP_STACKSIZE=seven finds 'stacks of no size' '^note@stacks@.*no size.*@unset OMP_STACKSIZE$'
OMP_STACKSIZE=8M finds 'usual stacks' '^ok@stacks@OMP_STACKSIZE=8M$'
OMP_STACKSIZE=8192 finds 'in kilobytes' '^ok@stacks@'
OMP_PROC_BIND=master OMP_PLACES='{0}' finds 'all at one place' \
    '^PROBLEM@binding@.*@export OMP_PROC_BIND=spread OMP_PLACES=cores$' --threads=2
if [ "$processors" -gt 1 ]; then
    OMP_THREAD_LIMIT=1 finds 'OMP_THREAD_LIMIT' '^note@limit@.*@unset OMP_THREAD_LIMIT$'
    OMP_THREAD_LIMIT=1 finds 'more than it allows' '^PROBLEM@start@.*@cgsolve --threads=1$' \
        --threads=2
    OMP_PROC_BIND=spread OMP_PLACES=cores finds 'bound threads' '^ok@binding@spread' --threads=1
    # More threads than processors: the program finds the machine crowded, and begins anew.
    if binds_threads; then
        allowed=$(OMP_NUM_THREADS=$(($(getconf _NPROCESSORS_ONLN) + 1)) OMP_PROC_BIND=true OMP_PLACES=threads \
            OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT='bound to %A.' "$cgsolve" --N=5 2>&1 |
            grep -o '^bound to [0-9]*\.' | sort -u | wc -l)
        same 'bound threads have a processor each, also of a program that began anew' "$allowed" "$processors"
    fi
    if command -v taskset >/dev/null && first=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//'); then
        OMP_NUM_THREADS=2 taskset -c "$first" "$cgsolve" doctor >page 2>err
        grep -q 'PROBLEM  threads     2 on 1 processor' page &&
            grep -q 'mend by     export OMP_NUM_THREADS=1$' page
        verdict 'threads above the affinity mask' $?
    fi
fi

echo "# Limits and places"
if ! "$cgsolve" --version | grep -q -- -fsanitize; then # a sanitizer takes more than all of this
    find_little
    (ulimit -S -v 4000000 && finds 'addresses' \
        '^note@addresses@ulimit -v is 4.10 GB@.*@ulimit -S -v unlimited$' --threads=1
    echo "$passed $failed" >counts)
    read -r passed failed <counts
    if without_libomp 'an end where threads do not start'; then
        (ulimit -v "$little" && finds 'threads that do not start' \
            '^PROBLEM@start@64 threads could not be started.*@cgsolve --threads=[1-9]' --threads=64
        echo "$passed $failed" >counts)
        read -r passed failed <counts
    fi
    (ulimit -S -s 512 && finds 'stack' '^note@stack@.*@ulimit -S -s 1024$'
    echo "$passed $failed" >counts)
    read -r passed failed <counts
fi
TMPDIR=/nonexistent finds 'TMPDIR' '^note@TMPDIR@.*No such file.*@export TMPDIR=/tmp$'
TMPDIR=$work finds 'a TMPDIR that serves' '^ok@TMPDIR@'
if [ "$(id -u)" != 0 ]; then # root may write everywhere
    mkdir closed && chmod 555 closed
    (cd closed && "$cgsolve" doctor) | grep -q 'mend by     cd "[$]HOME"'
    verdict 'a folder that is not for writing' $?
fi

echo "# GPU"
examine
if grep -q "^ok${cut}device$cut" findings; then
    CUDA_VISIBLE_DEVICES='' finds 'hidden devices' \
        '^PROBLEM@devices@none.*@unset CUDA_VISIBLE_DEVICES$'
    finds 'a device that is not there' '^PROBLEM@devices@.*@cgsolve --device=' --device=999
else
    echo "skipped: this machine has no CUDA device"
    grep -Eq "$cut(CUDA|driver|devices|code|device)$cut" findings
    verdict 'what is missing is said' $?
fi

echo "# Parts"
without_gnuplot finds 'no gnuplot' \
    "^note@gnuplot@missing: 'gnuplot' is not there.*gnuplot-nox.*@figures .*@..*$"
mkdir old && printf '#!/bin/sh\necho gnuplot 5.0 patchlevel 3\n' >old/gnuplot && chmod +x old/gnuplot
PATH=$PWD/old:$PATH finds 'an old gnuplot' '^note@gnuplot@.*5.0 patchlevel 3 is too old'

echo "$passed passed, $failed failed"
[ $failed = 0 ]
