#!/usr/bin/env bash
# tests/cli/ranks_faults.sh: a random rank of 2 to 4 is killed, interrupted or starved of memory at a random
# moment (doc/clusters.md, When a rank fails). Each run must end in time, leave no process and no half of a
# file, and say what happened; a rank that is lost is named. Skipped without mpirun, or without MPI.
#
#     COUNT=200 SEED=7 CGSOLVE=./cgsolve bash ../tests/cli/ranks_faults.sh     by hand: that many runs
#
# KINDS: which faults, in turn.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"
# shellcheck source=tests/cli/ranks.bash
. "$sources/tests/cli/ranks.bash"
RANDOM=${SEED:-19}
count=${COUNT:-2}
silence=6  # seconds that a rank that has failed waits for the others
teardown=4 # of mpirun, which gives ranks a second to end
all="KILL TERM"
[ -z "${COUNT-}" ] || all="KILL starve TERM limit INT" # how MPI fails without memory differs between its versions
read -ra kinds <<<"${KINDS:-$all}"
export OMP_WAIT_POLICY=passive # else the program starts itself anew, and STARVE_AT is forgotten
if [ "$instrumented" = yes ] || ! cc -shared -fPIC -O1 -o starve.so "$sources/tests/cli/starve.c" 2>/dev/null; then
    read -ra kinds <<<"TERM KILL INT"
fi

# A rank: notes its process; the victim gets little memory, if so asked.
cat >rank.sh <<'RANK'
rank=${OMPI_COMM_WORLD_RANK-$PMI_RANK}
echo $$ >pid.$rank
if [ "$rank" = "$VICTIM" ]; then
    [ -z "${LIMIT-}" ] || ulimit -v "$LIMIT"
    [ -z "${STARVE-}" ] || exec env STARVE_AT="$STARVE" LD_PRELOAD="$PWD/starve.so" "$@"
fi
exec "$@"
RANK

# pick MOST: sets `picked`, 0 to MOST - 1.
pick() { picked=$(((RANDOM * 32768 + RANDOM) % $1)); }

# alive: names processes of the last job that are there still, and are no zombies.
alive() {
    local file process
    for file in pid.*; do
        process=$(<"$file")
        grep -qs '^State:[^Z]*$' "/proc/$process/status" && echo "$process"
    done
}

# start KIND: starts a job in the background.
start() {
    local problems=("--N=24" "--N=48 --format=crs --precond=jacobi" "--N=64 --format=sellc" "--matrix=$systems/nos4.mtx --kernel=crs_row")
    local solves=1000000
    pick ${#problems[@]}
    read -ra problem <<<"${problems[$picked]}"
    pick 3
    ranks=$((2 + picked))
    pick $ranks
    victim=$picked
    unset STARVE LIMIT
    case $1 in
    starve) pick 14; pick $((2 << picked)); export STARVE=$((picked + 1)) solves=2 ;;
    limit) pick 300; export LIMIT=$((50000 + 1000 * picked)) solves=2 ;;
    esac
    rm -rf pid.* results
    mkdir results
    VICTIM=$victim seconds=90 launch $ranks bash rank.sh "$cgsolve" "${problem[@]}" --solves=$solves \
        --json=results/report.json --history=results/history.csv >out 2>err &
    job=$!
}

# hurt KIND: does that to the victim at a random moment; sets `moment`, in ms, and `since`.
hurt() {
    pick 2000
    moment=$picked
    since=$EPOCHREALTIME
    case $1 in
    starve | limit) moment=0 ;;
    *)
        sleep "$(printf '0.%03d' $((moment % 1000)))"
        [ "$moment" -lt 1000 ] || sleep 1
        while [ ! -s "pid.$victim" ] && kill -0 $job 2>/dev/null; do sleep 0.02; done
        since=$EPOCHREALTIME
        kill -s "$1" "$(<"pid.$victim")" ;;
    esac
}

# said KIND STATUS: a message says what happened, and there is one of ours at most. Of a process that ends
# before it has met it, mpirun may say no more than that there was one, and by its status which signal it was.
said() {
    [ "$(grep -c '^cgsolve: ' err)" -le 1 ] || return 1
    case $1 in
    KILL) mpirun_says err $victim 9 ;;
    TERM | INT) mpirun_says err $victim '(15|2)' || grep -q '^cgsolve: .*interrupted' err ;;
    *) grep -Eiq "^cgsolve: .*memory|(mpi|prte)run (noticed|detected) that|bad termination|allocat|memory|resource|failed to map|MPI_I(NIT|nit)" err ;;
    esac && return
    unnamed=$((unnamed + 1))
    [ "$2" -gt 128 ] && grep -q '^a non-zero exit code' err
}

# whole: results are complete files, and nothing else is there.
whole() {
    local file
    for file in results/* results/.[!.]*; do
        case $file in
        *'*'* | *'!'*) ;;
        */report.json) [ "$(tail -n 1 "$file")" = '}' ] || return 1 ;;
        */history.csv) [ -z "$(tail -c 1 "$file")" ] || return 1 ;;
        *) return 1 ;;
        esac
    done
}

# judge KIND STATUS MILLISECONDS
judge() {
    local most=$((1000 * (silence + teardown))) left fault=
    case $1 in starve | limit) most=$((most + 30000)) ;; esac # from its start
    left=$(alive)
    [ -z "$left" ] || { sleep 2; left=$(alive); }
    [ "$2" != 124 ] && [ "$2" != 137 ] || [ "$3" -lt 85000 ] || fault+=' hung;'
    [ "$3" -le $most ] || fault+=" took $3 ms;"
    [ -z "$left" ] || fault+=" left processes $left;"
    whole || fault+=" half-written: $(ls -A results);"
    if [ "$2" = 0 ]; then
        case $1 in starve | limit) whole=$((whole + 1)) ;; *) fault+=' status 0;' ;; esac
    else
        said "$1" "$2" || fault+=" says: $(grep -c '^cgsolve: ' err) messages, $(grep -m 1 -E '^cgsolve|run (noticed|detected)' err);"
    fi
    [ -z "$fault" ]
    verdict "$1 of rank $victim of $ranks at $moment ms, ${problem[*]}${STARVE+, allocation $STARVE}${LIMIT+, $LIMIT kB}: status $2 after $3 ms" $? "$fault"
    [ -z "${KEEP-}" ] || { mkdir -p "$KEEP/$run"; cp -r err out results "$KEEP/$run/"; }
}

whole=0 unnamed=0
for ((run = 0; run < count; run++)); do
    kind=${kinds[$((run % ${#kinds[@]}))]}
    start "$kind"
    hurt "$kind"
    wait $job
    status=$?
    judge "$kind" $status $(((${EPOCHREALTIME/./} - ${since/./}) / 1000))
done
echo "$whole runs had memory enough, and ended with status 0; $unnamed times mpirun did not say which rank had ended"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
