#!/usr/bin/env bash
# tests/cli/outputs.sh: what becomes of reports and files when the outside does not play along: full
# disks, closed pipes, folders that vanish, links, signals, input that stalls. Whatever happens is an error that is
# said, never silence; a file that was there is either replaced as a whole or left alone; nothing
# temporary is left behind; and where a JSON report is written, its exit_status is the program's.
#
# The program is $CGSOLVE (./cgsolve where that is not set), on the CPU. Nothing is written but in a
# folder of its own under $TMPDIR.
set -u
# shellcheck source=tests/support/verdicts.bash
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdicts.bash"

mounted=
cleanup() {
    [ -z "$mounted" ] || umount "$mounted"
    rm -rf "$work"
}
trap cleanup EXIT
quick=(--backend=cpu --N=7)
# Runs for minutes if it is let, and iterates nearly all that time.
long=(--backend=cpu --threads=1 --N=96 --tol=1e-13 --verbose)

# ends NAME STATUS GOT [PATTERN]: the exit status, and what standard error (err) says.
ends() {
    if [ "$3" != "$2" ]; then
        verdict "$1" 1 "exit status $3, not $2; $(head -n 1 err)"
    elif [ -n "${4-}" ] && ! grep -Eq -- "$4" err; then
        verdict "$1" 1 "no '$4' in: $(head -n 1 err)"
    else
        verdict "$1 -> $2" 0
    fi
}

# reports NAME FILE STATUS: FILE is whole JSON, and says STATUS.
reports() {
    valid_json "$1: $2" "$2"
    [ "$(value exit_status "$2")" = "$3" ]
    verdict "$1: $2 says exit_status $3" $? "$(value exit_status "$2")"
}

# clean NAME: no temporary anywhere.
clean() {
    local left
    left=$(find "$work" -name '*.tmp*')
    [ -z "$left" ]
    verdict "$1: no temporary is left" $? "$left"
}

# untouched NAME FILE: still what it was, "old".
untouched() {
    [ "$(cat "$2")" = old ]
    verdict "$1: $2 is what it was" $?
}

# until_true SECONDS COMMAND...: waits for it.
until_true() {
    local tries=$(($1 * 50))
    shift
    while ! "$@" 2>/dev/null; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.02
    done
}

# All three signals are caught by process $1 (bits of SigCgt), which is no longer a copy of this shell: that one would run our EXIT trap.
catches() {
    local program mask all=0x4003 # SIGHUP, SIGINT, SIGTERM
    program=$(readlink "/proc/$1/exe") # the shell itself until it has become the program
    [ -n "$program" ] && [ "$program" != "$(readlink /proc/$$/exe)" ] || return 1
    mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status")
    [ -n "$mask" ] && [ $((0x$mask & all)) = $((all)) ]
}
iterates() { grep -q '^iteration' err; }

gone() { ! kill -0 "$1"; }

# ended PID: its exit status; a process that does not end within two minutes is killed (137).
ended() {
    until_true 120 gone "$1" || kill -KILL "$1"
    wait "$1"
}

echo "# Full disks"
if [ -w /dev/full ]; then
    "$cgsolve" "${quick[@]}" --json=j.json >/dev/full 2>err
    ends 'standard output is full' 4 $? 'standard output.*No space left'
    reports 'standard output is full' j.json 4
    "$cgsolve" "${quick[@]}" --json=- >/dev/full 2>err
    ends 'standard output is full, --json=-' 4 $? 'No space left'
    ln -s /dev/full full
    "$cgsolve" "${quick[@]}" --json=full >out 2>err
    ends 'the JSON report is full, by its name' 4 $? "the JSON report 'full'.*No space left"
    "$cgsolve" --backend=cpu --N=31 --json=/dev/full --history=h.csv >out 2>err
    ends 'the JSON report is full' 4 $? "the JSON report '/dev/full'.*No space left"
    [ -s out ] && [ -s h.csv ]
    verdict '... but text and history are there' $?
    "$cgsolve" "${quick[@]}" --history=/dev/full --json=j.json >out 2>err
    ends 'the history is full' 4 $? "the history '/dev/full'.*No space left"
    reports 'the history is full' j.json 4
    grep -q 'the history' j.json
    verdict '... and says that it was the history' $?
    for option in --output --save-matrix; do # longer than what is buffered
        "$cgsolve" --backend=cpu --N=9 $option=/dev/full >out 2>err
        ends "$option on a full disk" 4 $? "'/dev/full': No space left on device; free some"
    done
    for command in --help --usage --version list; do
        "$cgsolve" $command >/dev/full 2>err
        ends "$command on a full disk" 4 $? 'standard output.*No space left'
    done
    "$cgsolve" --backend=cpu --N=15 --max-iterations=3 --json=j.json >/dev/full 2>err
    ends 'a failed run, and standard output full' 2 $? 'limit of 3.*moreover.*No space left'
    reports 'a failed run, and standard output full' j.json 2
fi
if "$cgsolve" --version | grep -q -- -fsanitize=thread; then
    echo "skipped: a limit on the size of files: libomp, with the thread sanitizer, dies of it itself"
else
    echo old >j.json
    (ulimit -f 1 && "$cgsolve" --backend=cpu --N=31 --json=j.json) >out 2>err
    ends 'a limit on the size of files' 4 $? 'File too large; raise the limit'
    untouched 'a limit on the size of files' j.json
    clean 'a limit on the size of files'
fi
mkdir small
if mount -t tmpfs -o size=16k none small 2>/dev/null; then
    mounted=$work/small
    echo old >small/j.json
    head -c 12k /dev/zero >small/most
    "$cgsolve" --backend=cpu --N=31 --json=small/j.json >out 2>err
    ends 'a disk that fills' 4 $? "the JSON report '.*small/j.json'.*No space left.*free some"
    untouched 'a disk that fills' small/j.json
    clean 'a disk that fills'
    mkdir small/study && cat /dev/zero >small/rest 2>/dev/null
    "$cgsolve" study --backend=cpu --N=7 --report=small/study >out 2>err
    ends 'a study on a full disk' 4 $? "the page '.*small/study/report.html': No space left"
    grep -q '^FAILED *cannot write the JSON report' out
    verdict '... whose point says why' $? "$(grep '^FAILED' out)"
    umount small && mounted=
else
    echo "skipped: a disk that fills: no file system can be mounted here"
fi

echo "# Closed pipes and streams"
{
    "$cgsolve" "${quick[@]}" --json=j.json 2>err
    echo $? >status
} | true
ends 'the reader of standard output has gone' 4 "$(cat status)"
[ ! -s err ]
verdict '... and nothing is said' $? "$(head -n 1 err)"
reports 'the reader of standard output has gone' j.json 4
{
    "$cgsolve" "${quick[@]}" --json=- 2>err
    echo $? >status
} | true
ends '--json=-, and its reader has gone' 4 "$(cat status)"
[ ! -s err ]
verdict '... and nothing is said' $? "$(head -n 1 err)"
{
    "$cgsolve" --N=0 2>err
    echo $? >status
} | true
ends 'what else is wrong is said' 1 "$(cat status)" '--N=0 is out of range'
"$cgsolve" "${quick[@]}" --json=j.json 2>err >&-
ends 'standard output is closed' 4 $? 'standard output'
reports 'standard output is closed' j.json 4
"$cgsolve" --backend=cpu --N=1290 --memory-limit=1E9 --json=- 2>err >&-
ends '--json=- is closed' 4 $? 'standard output.*closed' # before any work
"$cgsolve" "${quick[@]}" --json=j.json <&- >&- 2>&-
[ $? = 4 ]
verdict 'all streams are closed -> 4' $?
reports 'all streams are closed' j.json 4
"$cgsolve" --backend=cpu --N=15 --max-iterations=3 --json=j.json --history=h.csv >out 2>&-
[ $? = 2 ]
verdict 'standard error is closed -> 2' $?
reports 'standard error is closed' j.json 2
[ "$(head -n 1 h.csv)" = iteration,relative_residual,energy_error ]
verdict '... and nothing strays into the files' $?

echo "# Where files go"
ln -s target.json link.json # to nothing, yet
"$cgsolve" "${quick[@]}" --json=link.json >out 2>err
ends 'a link to no file' 0 $?
[ -L link.json ] && [ -f target.json ]
verdict 'a link to no file: it is made, the link stays' $?
reports 'a link to no file' target.json 0
echo old >target.json
"$cgsolve" "${quick[@]}" --json=link.json >out 2>err
[ -L link.json ]
verdict 'a link to a file stays' $?
reports 'a link to a file' target.json 0
ln -s loop.json loop.json
"$cgsolve" "${quick[@]}" --json=loop.json >out 2>err
ends 'a link to itself' 4 $? 'the JSON report'
ln -s nowhere/j.json far.json
"$cgsolve" "${quick[@]}" --json=far.json >out 2>err
ends 'a link into a folder that is not there' 4 $? 'the JSON report'
"$cgsolve" "${quick[@]}" --json=/dev/stdout 2>err | grep -q '"exit_status": 0'
verdict '/dev/stdout, a pipe' $? "$(head -n 1 err)"
"$cgsolve" "${quick[@]}" --json=/dev/stdout >out 2>err
ends '/dev/stdout, a file that takes the text' 4 $? 'go there already.*take -'
"$cgsolve" "${quick[@]}" --history=out >>out 2>err
ends 'the history where standard output goes' 4 $? 'go there already; name another file$'
"$cgsolve" "${quick[@]}" --json=/dev/null --history=/dev/null >/dev/null 2>err
ends '/dev/null for both' 1 $? 'same file'
"$cgsolve" "${quick[@]}" --json=/dev/null >/dev/null 2>err
ends '/dev/null for report and text' 0 $?
mkfifo pipe
exec 3<>pipe # a reader, who lets all stand in the pipe for now
timeout 60 "$cgsolve" "${quick[@]}" --json=pipe >out 2>err
ends 'a named pipe' 0 $?
exec 4<pipe 3>&-
cat <&4 >piped.json
exec 4<&-
reports 'a named pipe' piped.json 0
clean 'where files go'

mkfifo nobody
timeout 60 "$cgsolve" "${quick[@]}" --json=nobody >out 2>err
ends 'a named pipe that nobody reads' 4 $? 'no process reads from it: start its reader first'
rm nobody

echo "# Folders that vanish"
# meanwhile STATUS PATTERN COMMAND...: starts a long run with its files in lost/, waits for the
# first iteration, does COMMAND, and ends the run by a signal.
meanwhile() {
    local pattern=$1 pid
    shift
    rm -rf lost kept.csv && mkdir lost && : >err
    "$cgsolve" "${long[@]}" --json=lost/j.json --history=kept.csv >out 2>err &
    pid=$!
    until_true 60 iterates
    "$@"
    kill -TERM $pid
    ended $pid
    ends "$* while it runs" 130 $? "interrupted.*$pattern"
    [ "$(head -n 1 kept.csv)" = iteration,relative_residual,energy_error ]
    verdict "$*: the history elsewhere is written" $?
    clean "$*"
}
set -m # without job control, what runs in the background ignores SIGINT
meanwhile "moreover, cannot write the JSON report.*No such file" rm -rf lost
meanwhile "moreover, cannot write the JSON report.*Is a directory" mkdir lost/j.json
if [ "$(id -u)" = 0 ]; then # root may write anywhere: as somebody else
    chmod 755 "$work" && mkdir -m 777 theirs
    other() { (cd theirs && setpriv --reuid=65534 --regid=65534 --clear-groups "$@"); }
else
    mkdir theirs
    other() { (cd theirs && "$@"); }
fi
if other "$cgsolve" --version >/dev/null 2>&1; then
    mkdir -m 555 theirs/locked && echo old >theirs/mine.json && chmod 444 theirs/mine.json
    other "$cgsolve" "${quick[@]}" --json=locked/j.json >out 2>err
    ends 'a folder that may not be written to' 4 $? 'Permission denied; name a file in a folder'
    other "$cgsolve" "${quick[@]}" --json=mine.json >out 2>err
    ends 'a file that may not be written to' 4 $? 'Permission denied; you may not write'
    untouched 'a file that may not be written to' theirs/mine.json
else
    echo "skipped: permissions: this is root, and nobody else can run the program"
fi

echo "# Signals"
for signal in INT TERM HUP; do
    for _ in 1 2 3 4 5 6 7 8 9 10; do # on a busy machine the signal may come when it iterates already
        echo old >h.csv && rm -f j.json
        "$cgsolve" "${long[@]}" --json=j.json --history=h.csv >out 2>err &
        pid=$!
        until_true 60 catches $pid
        kill -$signal $pid
        ended $pid
        status=$?
        grep -q 'interrupted after [1-9]' err || break
    done
    ends "SIG$signal at the start" 130 "$status" 'interrupted before the first iteration'
    reports "SIG$signal at the start" j.json 130
    untouched "SIG$signal at the start" h.csv
    clean "SIG$signal at the start"

    rm -f j.json && : >err
    "$cgsolve" "${long[@]}" --json=j.json --history=h.csv >out 2>err &
    pid=$!
    until_true 60 iterates
    kill -$signal $pid
    ended $pid
    ends "SIG$signal while it iterates" 130 $? 'interrupted after [1-9]'
    reports "SIG$signal while it iterates" j.json 130
    [ "$(wc -l <h.csv)" = $(($(value iterations j.json) + 2)) ]
    verdict "SIG$signal while it iterates: the history so far" $?
    grep -q '^Solver' out
    verdict "SIG$signal while it iterates: the text so far" $?
    clean "SIG$signal while it iterates"
done

echo "# Input that stalls"
# held PID FILE: the process has the file open.
held() {
    find "/proc/$1/fd" -lname "$2" | grep -q .
}

# stalls SIGNAL STALL ARGUMENT...: one signal ends the reading of the FIFO at once, whether nobody has
# opened it for writing (STALL nobody), or somebody has who writes no more (STALL silent).
stalls() {
    local signal=$1 stall=$2 pid
    shift 2
    "$cgsolve" "$@" >out 2>err &
    pid=$!
    if [ "$stall" = silent ]; then
        exec 3>"$work/stalled"
        printf ' ' >&3
    fi
    until_true 60 held $pid "$work/stalled"
    verdict "$*, $stall: the FIFO is opened" $?
    kill "-$signal" $pid
    ended $pid
    ends "$*, $stall, SIG$signal" 130 $? interrupted
    exec 3>&-
    clean "$*, $stall, SIG$signal"
}
printf '%%%%MatrixMarket matrix array real general\n1 1\n1\n' >one.mtx
"$cgsolve" study --N=3,4 --backend=cpu --kernel=crs_row --format=crs --report=drawn >out 2>err
ends 'a study to be drawn' 0 $?
mkfifo stalled
rm drawn/points/N4.json && ln -s "$work/stalled" drawn/points/N4.json
for stall in nobody silent; do
    stalls INT $stall --backend=cpu --kernel=crs_row --matrix=stalled
    stalls TERM $stall --backend=cpu --kernel=crs_row --matrix=one.mtx --rhs=stalled
    stalls TERM $stall spmv --backend=cpu --matrix=stalled
    stalls INT $stall spgemm --backend=cpu --matrix=one.mtx --matrix-b=stalled
    stalls INT $stall compare j.json stalled
done
timeout 60 "$cgsolve" study --draw --N=3,4 --backend=cpu --kernel=crs_row --format=crs --report=drawn >out 2>err
ends 'a study whose report is a link to a FIFO is drawn without it' 0 $?
# All the same, who writes late and in pieces is read.
"$cgsolve" --backend=cpu --kernel=crs_row --matrix=stalled --json=- >late.json 2>err &
pid=$!
exec 3>stalled
{
    head -c 20 one.mtx
    sleep 0.2
    tail -c +21 one.mtx
} >&3
exec 3>&-
ended $pid
ends 'a FIFO written late and in pieces' 0 $?
same '... is the same matrix' "$(value rows late.json)" 1
exec 3<>stalled
"$cgsolve" --backend=cpu --kernel=crs_row --matrix=/dev/stdin <&3 >out 2>err &
pid=$!
until_true 60 catches $pid
kill -TERM $pid
ended $pid
ends 'a silent pipe as /dev/stdin' 130 $? interrupted
exec 3>&-

# Output that blocks: a named pipe that is full, and whose reader does not read. The history is
# written before the text: once it is there, the text is what blocks.
blocks() {
    rm -f pipe j.json h.csv && mkfifo pipe && exec 3<>pipe
    dd if=/dev/zero of=pipe bs=4096 oflag=nonblock 2>/dev/null # until it takes no more
    "$cgsolve" "${quick[@]}" --json=j.json --history=h.csv >pipe 2>err &
    pid=$!
    until_true 60 test -s h.csv
    sleep 0.3
    kill -INT $pid
    sleep 0.2
}
blocks
kill -0 $pid 2>/dev/null
verdict 'SIGINT while it writes: it does not end in the middle' $?
cat <&3 >/dev/null &
reader=$!
ended $pid
ends 'SIGINT while it writes' 130 $? 'interrupted when all had been computed'
kill $reader
wait $reader 2>/dev/null
reports 'SIGINT while it writes' j.json 130
exec 3>&-
blocks
kill -INT $pid
ended $pid 2>/dev/null
ends 'SIGINT twice, output blocked' 130 $?
clean 'SIGINT twice'
exec 3>&-
set +m
clean 'at the end'

echo "$passed passed, $failed failed"
[ $failed = 0 ]
