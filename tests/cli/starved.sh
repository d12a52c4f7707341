#!/usr/bin/env bash
# tests/cli/starved.sh: one allocation after the other fails, whoever asks for it (a library preloaded refuses
# it): each run ends with 0 and its whole report, or with 5, says so, and the report does where there is
# one. All of the first calls, then one in so many: STARVE_STEP=1 tries each.
set -u

# shellcheck source=tests/support/verdicts.bash
. "$(dirname "$0")/../support/verdicts.bash"
if "$cgsolve" --version | grep -q -e -fsanitize; then
    echo "skipped: a sanitizer has an allocator of its own"
    exit 77
fi
if ! cc -shared -fPIC -O1 -o starve.so "$sources/tests/cli/starve.c" 2>err; then
    echo "skipped: no C compiler, or a C library without __libc_malloc: $(head -n 1 err)"
    exit 77
fi
export OMP_NUM_THREADS=1 CGSOLVE_TEST=part=0.02,battery=0

keys() { # FILE: of a report, sorted; of a finding and its like what it is called, too
    grep -o -e '^ *"[A-Za-z0-9_]*":' -e '^ *"name": .*' "$1" | sort -u
}

judge() { # STATUS: an odd end is said, and is the function's own status
    local message
    message=$(head -n 1 err)
    case $1 in
    0) [ -z "$(comm -23 whole <(keys out))" ] && [ "$(tail -n 1 out)" = '}' ] ;;
    5)
        grep -Eq '(no|[Oo]ut of) memory|[0-9] GB|cannot allocate' err || return 1
        [ ! -s out ] || { [ "$(tail -n 1 out)" = '}' ] && grep -Eq '^  "exit_status": 5,?$' out; } ;;
    *) false ;;
    esac || { echo "# allocation $2: status $1: $message"; return 1; }
}

starve() { # NAME MOST ARGUMENT...: allocations 1 ... MOST of that command
    local name=$1 most=$2 k odd=0 tried=0 starved=0 status
    shift 2
    "$cgsolve" "$@" --json=- >out 2>err
    same "$name: exit status with memory" $? 0
    keys out >whole
    for ((k = 1; k <= most; k += k < 40 ? 1 : ${STARVE_STEP:-17})); do
        STARVE_AT=$k LD_PRELOAD=$work/starve.so "$cgsolve" "$@" --json=- >out 2>err
        status=$?
        judge $status "$k" || odd=$((odd + 1))
        tried=$((tried + 1))
        starved=$((starved + (status == 5)))
    done
    same "$name: runs of $tried that lose a key, crash, or blame something else" "$odd" 0
    [ "$starved" -gt 20 ]
    verdict "$name: $starved of them were refused for want of memory" $?
}

"$cgsolve" --N=3 --json=a.json >/dev/null
"$cgsolve" --N=3 --format=crs --json=b.json >/dev/null
starve solve 500 --N=3 --backend=cpu
printf '%s\n' 'N=3' 'backend=cpu' >options.txt && echo '@options.txt' >more.txt
starve 'options of files' 100 solve @more.txt --format=crs
starve compare 1300 compare a.json b.json
starve spmv 450 spmv --N=3 --backend=cpu --repeat=1 --reproducible # else what is timed may differ
starve spgemm 330 spgemm --N=3 --backend=cpu --repeat=1
starve doctor 450 doctor
starve study 1150 study --N=2,3 --backend=cpu

# A study that is there is seen where its folder can hardly be read, and no report of a point is
# called lost, or missing, that nobody had the memory to read.
"$cgsolve" study --N=2,3 --backend=cpu --report=R >/dev/null 2>&1
cp -r R before
odd=0
for ((k = 30; k <= 70; k++)); do
    STARVE_AT=$k LD_PRELOAD=$work/starve.so "$cgsolve" study --N=2,3 --backend=cpu --report=R >out 2>err
    status=$?
    { [ $status = 1 ] && grep -q -e --resume err; } || [ $status = 5 ] || odd=$((odd + 1))
done
same "study: runs that begin again in a folder that holds one" $odd 0
diff -r R before >/dev/null
verdict "study: the reports that were there are untouched" $?

echo "$passed passed, $failed failed"
[ $failed = 0 ]
