# tests/support/verdicts.bash: what the shell tests share; sourced by them. The program, as $cgsolve, and the folder
# where it was built, $build; the $sources, the matrices in $systems and $shared; a folder to work in, where we are; counts of what passed and failed.
export LC_ALL=C COLUMNS=100

# A script that was started in the background, or with nohup, ignores signals, and so would all that it starts.
if [ -n "$(trap -p HUP INT TERM)" ]; then
    exec env --default-signal=HUP,INT,TERM "$BASH" "$0" "$@"
fi

cgsolve=$(realpath "${CGSOLVE:-./cgsolve}") || exit 1
build=${cgsolve%/*}
sources=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
systems=$sources/tests/systems
shared=${CGS_SHARED:-$sources/../shared}/data/matrices
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0 failed=0

# without_libomp WHAT: true where OpenMP is not LLVM's; else says that WHAT is skipped. libomp ends the process by itself
# (SIGABRT) where memory for a thread is lacking or OMP_NUM_THREADS is no number, and prints raw what OMP_ variables hold.
without_libomp() {
    "$cgsolve" --version | grep -q '^compiler *clang' || return 0
    echo "skipped: $1: libomp does that by itself"
    return 1
}

# binds_threads: sets `processors` to how many this script may run on; false, after a word, where threads that
# OMP_PROC_BIND binds look as all others do.
binds_threads() {
    processors=$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)
    if [ "$processors" = 1 ]; then
        echo "skipped: bound threads: there is one processor"
    elif "$cgsolve" --version | grep -q '^compiler *clang'; then
        echo "skipped: bound threads: libcholmod's libgomp leaves LLVM's OpenMP the processor of one thread"
    else
        return 0
    fi
    return 1
}

# Sets `little` to the address space in kB (ulimit -v) in which the program starts and has 60 MB of its own.
# Its libraries, such as an OpenBLAS that takes buffers for each processor, are measured: the address space
# of a process that waits for a matrix from a pipe.
find_little() {
    local pipe=$work/little.mtx process handle
    mkfifo "$pipe"
    exec 9<>"$pipe"
    "$cgsolve" --backend=cpu --threads=1 --matrix="$pipe" >/dev/null 2>&1 9>&- &
    process=$!
    while kill -0 $process 2>/dev/null; do
        for handle in /proc/$process/fd/*; do
            [ /proc/$process/exe -ef /proc/$$/exe ] || [ ! "$handle" -ef "$pipe" ] || break 2
        done
        sleep 0.02
    done
    little=$((60000 + $(sed -n 's/^VmPeak:[^0-9]*\([0-9]*\).*/\1/p' /proc/$process/status)))
    kill -9 $process
    wait $process 2>/dev/null
    exec 9>&-
    rm -f "$pipe"
}

# From here on the program runs on a processor whose name has all that a test may cut at, if it can: a library
# preloaded shows it another /proc/cpuinfo. `processor` is the name then, else empty.
odd_processor() {
    local source=$sources/tests/support/cpuinfo.c
    processor=
    if "$cgsolve" --version | grep -q -- -fsanitize || [[ $work == *[[:blank:]:]* ]] ||
        ! cc -shared -fPIC -O1 -D"CPUINFO=\"$work/.cpuinfo\"" -o "$work/.cpuinfo.so" "$source" 2>/dev/null; then
        echo "skipped: a processor with an odd name: a sanitizer, no C compiler, or a folder's name that LD_PRELOAD cuts"
        return
    fi
    processor='Odd(R)  Xeon|50% & a/b\\c "d'"' @ 2.50GHz, e;f#g"
    printf 'processor\t: 0\nmodel name\t: %s\n' "$processor" >"$work/.cpuinfo"
    export LD_PRELOAD=$work/.cpuinfo.so
}

# verdict NAME OK [DETAIL]: OK is 0 for a case that holds.
verdict() {
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
        echo "ok      $1"
    else
        failed=$((failed + 1))
        echo "FAILED  $1${3:+: $3}"
    fi
}

# value KEY FILE: of a key that occurs once; text without its quotes. The report has a key a line.
value() {
    sed -n "s/^ *\"$1\": \(.*[^,]\),\{0,1\}\$/\1/; T; s/\"//g; p; q" "$2"
}

# instead DEFAULTS ARGUMENT...: sets `words` to the arguments, behind those of the defaults (words between
# blanks) whose options are not among them: an option given twice is an error.
instead() {
    local default
    words=()
    for default in $1; do
        [[ " ${*:2}" == *" ${default%%=*}="* ]] || words+=("$default")
    done
    words+=("${@:2}")
}

# near A B RELATIVE: |A - B| <= RELATIVE |B|; false where one is no number.
near() {
    awk -v a="$1" -v b="$2" -v r="$3" 'BEGIN {
        number = "^[-+]?[0-9.]+([eE][-+]?[0-9]+)?$"
        if (a !~ number || b !~ number) exit 1
        d = a - b; exit !((d < 0 ? -d : d) <= r * (b < 0 ? -b : b)) }'
}

# figure NAME FILE KEY EXPECTED RELATIVE
figure() {
    local got
    got=$(value "$3" "$2")
    near "$got" "$4" "$5"
    verdict "$1: $3 = $4" $? "got '$got'"
}

# as_planned NAME FILE [PERCENT [BYTES]]: a plan is an upper bound. host_peak of a report is at most host_planned, and below
# it by at most PERCENT (3) of the plan, 52 KiB a thread (the stacks, core/plan/forecast.c: a thread that finds little to do
# touches less), and BYTES (2 MB) for what libraries keep, which differs from machine to machine.
as_planned() {
    local peak planned
    peak=$(value host_peak "$2") planned=$(value host_planned "$2")
    [ "${peak:-0}" -le "${planned:-0}" ]
    verdict "$1: takes no more memory than planned" $? "$peak of $planned"
    [ $((planned - peak)) -le $((${3:-3} * planned / 100 + 53248 * $(value threads "$2") + ${4:-2000000})) ]
    verdict "$1: and hardly less" $? "$peak of $planned"
}

# readable FOLDER: type of its figures, SVG, is 7 points high and more where they are 85 mm wide.
readable() {
    local small
    small=$(awk -F'"' '/^ width=/ { width = $2 }
        { for (i = 1; i < NF; i++) if ($i ~ /font-size=$/ && $(i + 1) < 0.029 * width) print FILENAME, $(i + 1), width }' \
        "$1"/*.svg)
    [ -z "$small" ]
    verdict "$1: type is to be read at 85 mm" $? "$small"
}

# without_gnuplot COMMAND...: with all programs of PATH but this one.
without_gnuplot() {
    if mkdir "$work/programs" 2>/dev/null; then
        tr : '\n' <<<"$PATH" | while IFS= read -r folder; do
            ln -s "$folder"/* "$work/programs" 2>/dev/null # the first of a name stays
        done
        rm -f "$work/programs/gnuplot"
    fi
    PATH=$work/programs "$@"
}

# find_python MODULES: sets `python` to a Python that has these, "numpy, scipy.io"; where there is none, to "" and ends
# with 1.
find_python() {
    for python in python3 /usr/bin/python3; do
        "$python" -c "import $1" 2>/dev/null && return
    done
    python=
    return 1
}

same() { # NAME A B
    [ -n "$2" ] && [ "$2" = "$3" ]
    verdict "$1" $? "'$2' is not '$3'"
}

valid_json() { # NAME FILE
    if command -v python3 >/dev/null; then
        python3 -m json.tool <"$2" >/dev/null
    elif command -v jq >/dev/null; then
        jq . <"$2" >/dev/null
    else
        grep -q '^{$' "$2" && [ "$(tail -n 1 "$2")" = "}" ]
    fi
    verdict "$1: valid JSON" $?
}

# bill FILE: the lines of --profile have a call an iteration, bytes an iteration's in all, and their
# seconds add up to the solve's: what is left over is the difference, so that this is bookkeeping.
bill() {
    awk '/"profile": \[/ { on = 1 } on && /^  \]/ { on = 0 }
        on && /"(step|bytes|calls|seconds)":/ { gsub(/[",:]/, ""); print $1, $2 }' "$1" |
        awk -v k="$(value iterations "$1")" -v n="$(value rows "$1")" \
            -v s="$(value solve "$1")" -v b="$(value bytes_per_unknown_iteration "$1")" '
            $1 == "step" { step = $2; lines += 1 }
            $1 == "bytes" { bytes += $2 }
            $1 == "calls" && step != "past_the_end" && $2 != k { wrong = 1 }
            $1 == "seconds" { sum += $2; if (step == "rest") rest = $2 }
            END { d = sum - s; exit !(lines > 1 && !wrong && d * d < 1e-6 * s * s &&
                rest > -0.01 * s && bytes - b * n < 1 && b * n - bytes < 1) }'
    verdict "$1: the bill adds up" $?
}
