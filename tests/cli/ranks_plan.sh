#!/usr/bin/env bash
# tests/cli/ranks_plan.sh: --plan, --profile and --inject on several ranks (doc/clusters.md). Plans are held against
# what runs take and what they move, refusals must come before the work, profiles must add up, and faults end all
# ranks as they end one process. Skipped without mpirun, or where the program has no MPI.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"
if [ "$instrumented" = yes ]; then
    echo "skipped: MPI's own leaks would count as ours"
    exit 77
fi
# shellcheck source=tests/cli/ranks.bash
. "$sources/tests/cli/ranks.bash"
export CUDA_VISIBLE_DEVICES= # GPUs: ranks_cuda.sh
end_at_once

# holds EXPRESSION TEXT: true of d, the JSON report many.json.
holds() {
    python3 -c "
import json, sys
d = json.load(open('many.json'))
sys.exit(0 if ($1) else 1)"
    verdict "$2" $? "$1"
}

echo "# --plan"
rm -f many.json
ranks 3 --N=33 --format=crs --plan --json=many.json
same "status" $? 0
grep -q '^ *of rank 1, the largest; all 3 ranks ' out && grep -q '^Scaling  *ranks  *iteration' out
verdict "the sum of the ranks, and their time" $? "$(grep -m 1 'all 3' out)"
if command -v python3 >/dev/null; then
    holds "2 * d['memory']['host_planned'] < d['memory']['host_planned_all'] <= 3 * d['memory']['host_planned']" "bytes of a rank and of all"
    holds "[p['ranks'] for p in d['scaling']['points']] == [1, 3, 6, 12, 24, 48]" "numbers of ranks: 33^3 rows have 71 blocks"
    holds "all(abs(p['compute_seconds'] + p['halo_seconds'] + p['sum_seconds'] - p['iteration_seconds']) <= 1e-9 * p['iteration_seconds'] for p in d['scaling']['points'])" "parts of an iteration"
    holds "d['scaling']['points'][0]['halo_seconds'] == 0 and d['scaling']['points'][0]['sum_seconds'] == 0" "one rank talks to nobody"
    cp many.json planned.json
    ranks 3 --N=33 --format=crs --json=many.json
    holds "abs(d['throughput']['bytes_per_unknown_iteration'] / json.load(open('planned.json'))['scaling']['bytes_per_unknown_iteration'] - 1) < 0.01" "bytes of an iteration are those of the run"
    holds "d['memory']['host_planned'] == json.load(open('planned.json'))['memory']['host_planned']" "the plan of the run is that of --plan"
fi
if command -v python3 >/dev/null; then
    "$cgsolve" --backend=cpu --order=3 --cells=3x3x6 --source=1 --kappa=1+x --precond=jacobi --json=one.json >out 2>err
    ranks 3 --order=3 --cells=3x3x6 --source=1 --kappa=1+x --precond=jacobi --json=many.json
    holds "abs(d['throughput']['bytes_per_unknown_iteration'] / json.load(open('one.json'))['throughput']['bytes_per_unknown_iteration'] - 1) < 1e-3" "ranks read each number of kappa once"
fi
ranks 3 --N=33 --precond=mg --guess=fmg --plan
same "multigrid" "$?$(grep -c '^Scaling  *ranks  *iteration' out)" 01
ranks 2 --matrix="$systems/nos4.mtx" --kernel=crs_row --precond=chebyshev --plan
same "a file" "$?$(grep -c '^Scaling' out)$(grep -c 'CRS, double, 594 entries' out)" 011
ranks 2 --N=32 --plan --memory-limit=5MB
same "a plan that does not fit" "$?$(grep -c 'its share of --memory-limit' out)" 51
ranks 2 --N=300 --memory-limit=1GB
same "refused before the work" "$?$(grep -c '^cgsolve: N = 300 needs .*its share of what its host has' err)" 51
ranks 3 --N=3 --plan
same "more ranks than blocks" "$?$(grep -c '27 rows make 1 block of 32' err)" 11

echo "# --profile"
ranks 3 --N=17 --precond=jacobi --profile --json=many.json
same "status" $? 0
same "a table by rank" "$(grep -c '^By rank  *seconds  *least  *median  *most' out)" 1
if command -v python3 >/dev/null; then
    holds "[s['step'] for s in d['ranks']['steps']] == [s['step'] for s in d['profile'] if 'formula' in s]" "the steps of the profile"
    holds "all(0 <= s['least'] <= s['median'] <= s['most'] for s in list(d['ranks']['seconds'].values()) + d['ranks']['steps'])" "least, median and most"
    holds "d['ranks']['seconds']['waiting']['most'] <= d['ranks']['seconds']['sums']['most']" "waiting is a part of sums"
    holds "sum(d['ranks']['seconds'][k]['least'] for k in ('compute', 'halo', 'sums')) <= 1.000001 * d['seconds']['solve'] <= 1.000002 * sum(d['ranks']['seconds'][k]['most'] for k in ('compute', 'halo', 'sums'))" "parts of the solve"
    holds "d['ranks']['exchanges'] == d['solves']['count'] * d['solver']['iterations'] and d['ranks']['gatherings'] == 3 * d['ranks']['exchanges']" "an exchange and three gatherings an iteration, of the last one two and one before the first"
    holds "d['ranks']['received_bytes'] == d['ranks']['exchanges'] * d['ranks']['halo_bytes']" "bytes of the exchanges"
    holds "d['ranks']['imbalance'] > 0.999" "imbalance"
fi

echo "# --inject"
# harms FAULT STATUS PATTERN ARGUMENT...: the fault ends three ranks as it ends one process, with one message.
harms() {
    local got
    "$cgsolve" --backend=cpu "${@:4}" --inject="$1" --history=one.csv >out 2>one.err
    same "$1: status of one process" $? "$2"
    ranks 3 "${@:4}" --inject="$1" --history=many.csv
    got=$?
    [ $got = "$2" ] && grep -Eq "$3" out err
    verdict "$1: three ranks" $? "exit status $got: $(grep -m 1 cgsolve: err)"
    [ "$(grep -c '^cgsolve: ' err)" = "$(grep -c '^cgsolve: ' one.err)" ]
    verdict "$1: one message" $? "$(grep -c '^cgsolve: ' err)"
}
harms nan@5 3 'NaN or Inf .* injected by --inject=nan@5 on rank 1$' --N=17
cmp -s one.csv many.csv
verdict "nan@5: the history of one process" $? ""
harms bitflip@5 0 'x\(2457\) after iteration 5' --N=17
cmp -s one.csv many.csv
verdict "bitflip@5: the history of one process" $? ""
harms indefinite 3 "p'A p is not positive.* on rank 0$" --N=17
harms asymmetric 3 'matrix is not symmetric.* on rank 0$' --N=17
harms asymmetric 3 'matrix is not symmetric.*nos4' --matrix="$systems/nos4.mtx" --kernel=crs_row
harms oom 5 'rank 1: .*although the plan had fitted .* injected by --inject=oom on rank 1$' --N=17

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
