#!/usr/bin/env bash
# tests/cli/cli_report.sh: the JSON report and the history, their figures by each other, general problems.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"

echo "# The report"
timeout 120 "$cgsolve" --backend=cpu --N=15 --json=- --history=h.csv >report.json 2>err
same 'status' $? 0
valid_json '--json=-' report.json
for key in cgsolve version commit compiler flags schema date arguments command host cpu threads \
    read_gbs copy_gbs triad_gbs problem name N unknowns quadrature mesh kappa matrix format chunk \
    sigma rows columns nonzeros stored bytes backend kernel precision solver method preconditioner \
    tolerance max_iterations iterations status relative_residual true_relative_residual \
    condition_estimate energy_error_estimate kernel_reproducible error l2 nodal_l2 max h1 \
    seconds startup assemble convert transfer setup \
    solve errors output total spmv_seconds spmv_seconds_min spmv_seconds_max throughput mups spmv_gbs bytes_per_unknown_iteration \
    attainable_gbs attainable_kind roofline memory host_planned host_peak history exit_status; do
    grep -q "^ *\"$key\": " report.json || verdict "JSON has $key" 1
done
! grep -Eq '"(assembled|consistency|device|device_planned|error_message)":' report.json
verdict 'JSON has nothing that does not apply' $?
timeout 120 "$cgsolve" --backend=cpu --N=10 --verbose >out 2>err
grep -q '[0-9] %$' out && ! grep -Eq '^ +%' out
verdict 'a percent sign stays with its number' $? "$(grep -A 1 '^Auto' out)"
iterations=$(value iterations report.json)
same 'the history has a line an iteration' "$(wc -l <h.csv)" $((iterations + 2))
same 'its header' "$(head -n 1 h.csv)" iteration,relative_residual,energy_error
same 'its first line' "$(sed -n 2p h.csv | cut -d, -f1,2)" 0,1
"$cgsolve" --backend=cpu --N=15 --history=again.csv >/dev/null 2>err
cmp -s h.csv again.csv
verdict 'two runs have the same history' $?
solves sum.json --N=48
awk -v total="$(value total sum.json)" '/"seconds": \{/ { on = 1; next } /\}/ { on = 0 }
    on && !/total/ { gsub(/[",:]/, ""); sum += $2 }
    END { d = sum - total; exit !(total > 0 && d < 0.05 * total && d > -0.05 * total) }' sum.json
verdict 'seconds add up to the total' $?
if [ $instrumented = no ]; then
    for options in '--N=48' '--N=48 --format=crs --precond=jacobi' '--N=64 --precision=single' \
        '--N=64 --format=crs' '--N=64 --format=none' '--N=48 --max-iterations=300000 --tol=0.1'; do
        # shellcheck disable=SC2086
        solves planned.json $options
        as_planned "$options" planned.json
    done
fi

solves bill.json --N=31 --profile
bill bill.json
grep -Eq '^Profile +step +bytes a call +calls +seconds' out &&
    grep -Eq '^ +product_dot +[0-9.]+ MB +[0-9]+ .* [0-9.]+ % of read [0-9.]+$' out &&
    grep -Eq '^ +rest ' out
verdict 'and the text shows it' $? "$(grep Profile out)"
for key in profile step formula gbs attainable_gbs attainable_kind roofline; do
    grep -q "^ *\"$key\": " bill.json || verdict "JSON of --profile has $key" 1
done
solves bill-jacobi.json --N=31 --profile --format=crs --precision=single --precond=jacobi
bill bill-jacobi.json
grep -q '"step": "precondition"' bill-jacobi.json
verdict 'the preconditioner has a line' $?
solves bill-late.json --N=15 --profile --check-every=50
bill bill-late.json
grep -q '"step": "past_the_end"' bill-late.json
verdict 'iterations queued in vain have a line' $?

# derived FILE NUMBER VECTORS: the figures of FILE again from its other figures. NUMBER: bytes of a
# number; VECTORS: how many of them an iteration moves for each unknown.
derived() {
    local unknowns stored bytes chunk units sorted name
    name="$(value format "$1"), $(value preconditioner "$1")"
    unknowns=$(value unknowns "$1") stored=$(value stored "$1") bytes=$(value bytes "$1")
    chunk=$(value chunk "$1") # CRS has none: a row each
    units=$((($(value rows "$1") + ${chunk:-1} - 1) / ${chunk:-1}))
    sorted=$(value sigma "$1") # a permutation where it is above 1
    [ "${sorted:-1}" = 1 ] && sorted=0 || sorted=$(value rows "$1")
    same "$name: bytes of the matrix" "$bytes" \
        $((stored * ($2 + 4) + (units + 1) * 8 + sorted * 4))
    same "$name: padding" "$(value padding "$1")" $((stored - $(value nonzeros "$1")))
    figure "$name" "$1" mups "$(awk -v n="$unknowns" -v k="$(value iterations "$1")" \
        -v s="$(value solve "$1")" 'BEGIN { print 1e-6 * n * k / s }')" 0.01
    figure "$name" "$1" spmv_gbs "$(awk -v b="$bytes" -v n="$unknowns" -v w="$2" \
        -v s="$(value spmv_seconds "$1")" 'BEGIN { print 1e-9 * (b + 2 * w * n) / s }')" 1e-4
    figure "$name" "$1" bytes_per_unknown_iteration "$(awk -v b="$bytes" -v n="$unknowns" \
        -v w="$2" -v v="$3" 'BEGIN { printf "%.9g", b / n + w * v }')" 1e-6
}
derived sum.json 8 11
solves derived.json --N=31 --format=sell --chunk=8 --precond=jacobi
derived derived.json 8 14
solves derived.json --N=31 --format=crs
derived derived.json 8 11
solves unsorted.json --N=31 --chunk=32
solves sorted.json --N=31 --chunk=32 --sigma=4096 --verbose
derived sorted.json 8 11
same 'sigma in JSON' "$(value sigma sorted.json)" 4096
same 'padding without sorting' "$(value padding_unsorted sorted.json)" \
    "$(value padding unsorted.json)"
[ "$(value padding sorted.json)" -lt "$(value padding unsorted.json)" ]
verdict 'sorting saves padding' $?
tr -s '\n ' ' ' <out | grep -Eq 'SELL-32-4096 \(rows sorted\).* stored \(0\.3 % padding; 3\.1 % at sigma = 1\)'
verdict 'and the report says so' $? "$(grep SELL out)"
solves sorted-48.json --N=48 --chunk=32 --sigma=4096 --max-iterations=9
[ $instrumented = yes ] || as_planned 'N = 48, sorted' sorted-48.json
accepts --backend=cpu --N=31 --chunk=32 --sigma=4096 --plan
grep -q 'matrix permutation  *119 kB' out
verdict '--plan lists the permutation' $?
refuses 0 'iteration +[0-9]+, relative residual' --backend=cpu --N=31 --verbose

solves cube.json --N=31 --problem=random
figure 'N = 31: the condition number in closed form' cube.json condition_estimate 138.339 0.01

echo "# Compressed SELL"
solves cube.json --N=32 --format=sellc --chunk=8 --verbose
same 'its format' "$(value format cube.json)" sellc
awk -v b="$(value bytes_per_entry cube.json)" -v p="$(value bytes_per_entry_plain cube.json)" \
    'BEGIN { exit !(b < 0.1 && 12 < p && p < 12.5) }'
verdict 'the cube takes next to nothing, 12 bytes an entry in SELL' $?
grep -q 'compressed: 0\.[0-9]* bytes an entry, 12\.[0-9]* in SELL' out
verdict 'and so says the text' $?
solves deformed.json --N=32 --format=sellc --deform=0.05
awk -v b="$(value bytes_per_entry deformed.json)" 'BEGIN { exit !(8 < b && b < 8.5) }'
verdict 'deformed: 8 bytes an entry' $?
accepts --backend=cpu --format=sellc --N=64 --plan
grep -q 'SELLC-.*kernel sellc_chunk' out
verdict '--plan knows it' $?

echo "# General problems"
solves general.json --N=15 --deform=0.1 --quadrature=blended --kappa=smooth --problem=boundary
same 'mesh' "$(value mesh general.json)" deformed
figure 'deform' general.json deform 0.1 1e-15
same 'kappa' "$(value kappa general.json)" smooth
grep -q '"energy": ' general.json
verdict 'an energy norm where kappa is not 1' $?
grep -q '^Note *blended quadrature is fourth-order at the nodes of the plain cube' out
verdict 'blended: the text says where it is fourth-order' $?
grep -q 'blended quadrature is fourth-order' general.json
verdict 'blended: the JSON says so, too' $?
solves jump.json --N=15 --kappa=jump:1000
same 'kappa=jump:1000: exit status' $? 0
same 'its status' "$(sed -n '/"solver"/,/}/p' jump.json | sed -n 's/.*"status": "\(.*\)".*/\1/p')" converged
grep -q '"condition_estimate": ' jump.json
verdict 'its condition estimate' $?
! grep -q '"nodal_l2": ' jump.json && grep -q 'no exact solution is known' out
verdict 'no errors where no solution is known, and the text says why' $?

echo "# Ran with"
accepts --N=4 --save-matrix='a b.mtx'
accepts --matrix='a b.mtx' --backend=cpu --verbose
grep -q "^Ran with  *'--matrix=a b.mtx' --" out
verdict 'what a shell would cut is in quotes' $?

echo "$passed passed, $failed failed"
[ $failed = 0 ]
