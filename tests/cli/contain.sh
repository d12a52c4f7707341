#!/usr/bin/env bash
# tests/cli/contain.sh: the process in which a user's kernel is verified is contained (kernels/plugin/contain.h).
# The kernels in tests/user_kernels/contained are right, and give up where they were not stopped: each has to be believed
# when it is contained, and to give up with CGSOLVE_CONTAIN=0, so that none passes because it tries nothing.
#
# What the system does not offer is skipped, with a word; that the report says so is tested everywhere.
set -u

# shellcheck source=tests/support/user_kernels.bash
. "$(dirname "$0")/../support/user_kernels.bash"
unset CGSOLVE_CONTAIN
export CGSOLVE_TEST=part=0.02,battery=0,written=cgsolve-written.$$ HOME=$work/home OMP_NUM_THREADS=2
mkdir home
echo secret >secret
written=/tmp/cgsolve-written.$$

# tries KERNEL...: a table of these, as CSV, JSON and text; kept is a file that is there before.
tries() {
    rm -rf written home/written "$written" kept lost made link t.csv f.json
    echo kept >kept
    chmod 600 kept
    timeout 120 "$cgsolve" spmv --backend=cpu --N=4 --repeat=2 --csv=t.csv --json=f.json \
        --kernel="$(printf '%s\n' "$@" | paste -sd,)" >out 2>err
}

# believed NAME KERNEL: its row is one of a right kernel.
believed() {
    local line
    line=$(grep -E "^([^,]*,)?\"?$2\"?," t.csv 2>/dev/null)
    echo "$line" | grep -Eq ',"?(timed|dropped)"?,'
    verdict "$1" $? "${line:-$(head -n 1 err)}"
}

# gives_up NAME KERNEL REASON: its row has failed for that reason.
gives_up() {
    local line
    line=$(grep -E "^([^,]*,)?\"?$2\"?," t.csv 2>/dev/null)
    echo "$line" | grep -Eq ",\"?failed\"?,.*$3"
    verdict "$1" $? "${line:-$(head -n 1 err)}"
}

# stopped KERNEL REASON PART...: what it tries fails where the system offers one of these parts, and works without them.
stopped() {
    local kernel=k/contained/$1.c reason=$2 part offered=no
    shift 2
    for part in "$@"; do
        [[ ", $lacks," == *", $part,"* ]] || offered=yes
    done
    if [ $offered = yes ]; then
        tries "$kernel"
        believed "$kernel is stopped" "$kernel"
    else
        echo "skipped: $kernel: no $* here"
    fi
    CGSOLVE_CONTAIN=0 tries "$kernel"
    gives_up "$kernel is not, uncontained" "$kernel" "$reason"
}

echo "# A kernel that tries nothing"
tries k/sell.c crs_row
believed "k/sell.c is right" k/sell.c
lacks=$(value uncontained f.json)
[ "$lacks" != nothing ] || lacks=
grep -Eq "^Contained +your own kernels (reached no files|ran without )" out
verdict "the report says what it lacked: ${lacks:-nothing}" $?
tries crs_row
! grep -q '^Contained' out && ! grep -q uncontained f.json
verdict "and says nothing of kernels of cgsolve's" $?
CGSOLVE_CONTAIN=0 tries k/sell.c
same "CGSOLVE_CONTAIN=0: in JSON" "$(value uncontained f.json)" "limits, Landlock, seccomp"
grep -q '^Contained *your own kernels ran without limits, Landlock, seccomp' out
verdict "CGSOLVE_CONTAIN=0: in the report" $?

echo "# Files"
stopped reads_file 'it read a file in the current folder' Landlock
stopped writes_file 'it wrote a file in the current folder' Landlock seccomp
[ -e written ]
verdict "uncontained, it has written it" $?
tries k/contained/writes_file.c
if [[ "$lacks" != *Landlock*seccomp* ]]; then
    [ ! -e written ] && [ ! -e home/written ] && [ ! -e "$written" ] && [ "$(cat kept)" = kept ]
    verdict "contained, it has changed no file" $? "$(find . "$written" 2>/dev/null | paste -sd' ')"
fi
rm -f "$written"
stopped changes_mode 'it changed the permissions of a file' seccomp

echo "# Network and processes"
stopped network 'it connected to a port' seccomp
stopped datagrams 'it made a socket for datagrams' seccomp
stopped starts 'it started a process' seccomp
stopped limits_parent 'it limited its parent' seccomp
if [[ ", $lacks," != *", seccomp,"* ]]; then
    tries k/contained/kills_parent.c
    believed "k/contained/kills_parent.c is stopped" k/contained/kills_parent.c
else
    echo "skipped: k/contained/kills_parent.c: no seccomp here"
fi
CGSOLVE_CONTAIN=0 tries k/contained/kills_parent.c
status=$?
[ $status = 143 ] || [ $status = 130 ]
verdict "uncontained, it ends the program" $? "status $status"

echo "# Memory"
if [ "$(cat /proc/sys/vm/overcommit_memory 2>/dev/null)" = 2 ] || [ "$(ulimit -v)" != unlimited ]; then
    echo "skipped: k/contained/memory.c: memory is limited here without us"
elif [[ "$lacks" == *"a limit of memory"* ]]; then
    echo "skipped: k/contained/memory.c: a sanitizer's build has no limit"
else
    stopped memory 'it got 256 GiB of memory' limits
fi

echo "# Parts"
CGSOLVE_CONTAIN=seccomp,limits tries k/contained/writes_file.c k/contained/reads_file.c
gives_up "without Landlock files are read" k/contained/reads_file.c 'it read a file'
grep -q '^Contained *your own kernels ran without.*Landlock' out
verdict "without Landlock: the report says so" $?
if [[ "$lacks" != *seccomp* ]]; then
    believed "without Landlock files are not written" k/contained/writes_file.c
    [ ! -e written ] && [ "$(cat kept)" = kept ]
    verdict "without Landlock no file is changed" $?
fi
CGSOLVE_CONTAIN=landlock,limits tries k/contained/starts.c
gives_up "without seccomp processes are started" k/contained/starts.c 'it started a process'
grep -q '^Contained *your own kernels ran without.*seccomp' out
verdict "without seccomp: the report says so" $?

echo "# A library with another beside it"
echo 'int beside(void) { return 1; }' >beside.c
cc -shared -fPIC -o libbeside.so beside.c
{ cat k/contained/reads_file.c && echo 'int beside(void); int used(void) { return beside(); }'; } >mine.c
# shellcheck disable=SC2016 # for the loader
cc -shared -fPIC -I"$sources/include" -I"$sources/tests/user_kernels/contained" -o mine.so mine.c -L. -lbeside -Wl,-rpath,'$ORIGIN'
tries ./mine.so
if [[ "$lacks" != *Landlock* ]]; then
    believed "both are loaded, and a file beside them is not read" ./mine.so
else
    gives_up "both are loaded" ./mine.so 'it read a file'
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
