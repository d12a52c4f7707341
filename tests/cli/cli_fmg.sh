#!/usr/bin/env bash
# tests/cli/cli_fmg.sh: --guess=fmg, and multigrid where kappa jumps.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"

# begun KEY FILE: of the object `start`.
begun() {
    sed -n '/^  "start": {/,/^  }/p' "$2" | sed -n "s/^ *\"$1\": \(.*[^,]\),\{0,1\}\$/\1/p" | tr -d '"'
}

# at_most NAME A B: A <= B, both numbers.
at_most() {
    awk -v a="$2" -v b="$3" 'BEGIN { exit !(a != "" && b != "" && a + 0 <= b + 0) }'
    verdict "$1" $? "$2 > $3"
}

# within NAME FILE FACTOR: errors after the pass against those of the solution.
within() {
    local norm
    for norm in nodal_l2 l2; do
        at_most "$1: $norm after the pass" "$(begun $norm "$2")" \
            "$(awk -v e="$(value $norm "$2")" -v f="$3" 'BEGIN { print f * e }')"
    done
}

echo "# Full multigrid"
sizes='15 32 63'
[ $instrumented = no ] || sizes='15 32'
for n in $sizes; do
    solves fmg.json --N="$n" --guess=fmg --precond=mg --tol=1e-9
    same "N = $n: exit status" $? 0
    within "N = $n" fmg.json 1.1
    at_most "N = $n: iterations" "$(value iterations fmg.json)" 5
done
for mesh in '--deform=0.1' '--kappa=smooth' '--kappa=jump:1000 --problem=octants'; do
    # shellcheck disable=SC2086 # words
    solves fmg.json --N=31 --guess=fmg --precond=mg $mesh
    within "$mesh" fmg.json 1.1
done
for options in --precond=none --precond=jacobi '--precond=mg --precond-precision=double' \
    --precision=mixed --precision=single '--format=crs' '--format=none'; do
    # shellcheck disable=SC2086 # words
    solves zero.json --N=31 $options
    # shellcheck disable=SC2086 # words
    solves fmg.json --N=31 --guess=fmg $options
    same "$options: status" "$(value status fmg.json)" "$(value status zero.json)"
    within "$options" fmg.json 1.1
    figure "$options" fmg.json nodal_l2 "$(value nodal_l2 zero.json)" 5e-3
    at_most "$options: fewer iterations" "$(($(value iterations fmg.json) + 1))" \
        "$(value iterations zero.json)"
done
same 'the residual after it is the first of the history' "$(begun relative_residual fmg.json)" \
    "$(sed -n '/"history": \[/{n;s/[ ,]//gp;}' fmg.json)"
awk -v s="$(begun seconds fmg.json)" -v setup="$(begun setup_seconds fmg.json)" \
    -v solve="$(value solve fmg.json)" 'BEGIN { exit !(s > 0 && setup > 0 && s <= solve) }'
verdict 'its seconds are among those of the solve' $?
grep -q 'start: full multigrid, .* relative residual' out && grep -q '^ *L2 error .*, nodal L2' out
verdict 'the report says so' $?
! grep -q '"start"' zero.json
verdict 'nothing of it where nobody asks' $?
solves fmg.json --N=15 --guess=fmg --profile
bill fmg.json

for options in --precond=none --precond=mg '--precond=mg --precond-precision=double' --precision=mixed; do
    # shellcheck disable=SC2086 # words
    solves fmg.json --N=31 --guess=fmg --solves=2 $options
    same "$options, twice: status" "$(value status fmg.json)" converged
    if [ $instrumented = no ]; then # a sanitizer takes its own
        as_planned "$options" fmg.json
    fi
done

echo "# Full multigrid alone"
solves alone.json --N=31 --guess=fmg --max-iterations=0 --output=x.mtx
same 'exit status' $? 0
same 'status' "$(value status alone.json)" not_iterated
same 'iterations' "$(value iterations alone.json)" 0
same 'its error is that of the start' "$(value l2 alone.json)" "$(begun l2 alone.json)"
[ -s x.mtx ] && grep -q 'no iteration, as asked' out
verdict 'a solution, and said so' $?
solves small.json --N=3 --guess=fmg --max-iterations=0
same 'one grid: solved exactly' "$(value status small.json)" converged
refuses 2 'limit of 0 iterations' --backend=cpu --N=15 --max-iterations=0

echo "# Its own problems"
solves fmg.json --N=32 --guess=fmg --precond=mg --problem=course
same 'course: status' "$(value status fmg.json)" converged
solves fmg.json --N=15 --guess=fmg --kappa=jump:10
same 'no solution known: status' "$(value status fmg.json)" converged
! begun nodal_l2 fmg.json | grep -q .
verdict 'and no errors' $?
solves fmg.json --N=15 --guess=fmg
! grep -q 'precond-precision' out
verdict 'nor is the precision of cycles told of a run whose preconditioner has none' $?

echo "# Multigrid where kappa jumps"
for case in 'jump:1000 31' 'jump:1000 32' 'jump:1000 51' 'jump:1000 63' 'jump:1000 64' 'jump:1e6 25' \
    'jump:1e6 32' 'jump:1e-3 25' 'jump:1e-3 32' 'jump:9e11 15' 'jump:2e-12 15'; do
    kappa=${case% *} n=${case#* }
    [ $instrumented = no ] || [ "$n" -le 32 ] || continue # the larger ones take most of the time
    solves jump.json --N="$n" --kappa="$kappa" --precond=mg --tol=1e-8 --format=none
    same "$kappa, N = $n: status" "$(value status jump.json)" converged
    at_most "$kappa, N = $n: iterations" "$(value iterations jump.json)" 12
    at_most "$kappa, N = $n: largest eigenvalue of M A" "$(value lambda_max jump.json)" 1.1
done
solves sell.json --N=32 --kappa=jump:1000 --precond=mg --tol=1e-8 --format=sell
solves none.json --N=32 --kappa=jump:1000 --precond=mg --tol=1e-8 --format=none
same 'sell: as many iterations as without a matrix' "$(value iterations sell.json)" \
    "$(value iterations none.json)"

echo "$passed passed, $failed failed"
[ $failed = 0 ]
