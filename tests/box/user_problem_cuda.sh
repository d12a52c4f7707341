#!/usr/bin/env bash
# tests/box/user_problem_cuda.sh: the matrix of a problem of one's own, computed on the CUDA device (--assemble=device), which
# the default takes, gives the answer of one that the host computes and sends; cells of order p, and spmv's kernels without
# entries. Skipped without a GPU; the emulator runs it, too (tests/emulator/user_problem_emulated.sh).
set -u

here=$(realpath "$(dirname "$0")")
# shellcheck source=tests/cli/cli.bash
. "$here/../cli/cli.bash"
if [ "$device" = no ]; then
    echo "skipped: no CUDA device"
    exit 77
fi

# gives FILE ARGUMENT...: runs on the device with the JSON report in FILE; returns the exit status.
gives() {
    timeout 300 "$cgsolve" --backend=cuda --json="$1" "${@:2}" >out 2>err
}

exact=('--exact=exp(x)*cos(2*y)+z^2' '--kappa=1+x+2*y*z' --size=1x2x0.5 --tol=1e-12)
mixed=("${exact[@]}" --cells=9x8x7 --face=x0:flux '--face=z1:h=2+x' --face=y1:value)
free=("${exact[@]}" --cells=6x7x5)
for face in x0 x1 y0 y1 z0 z1; do free+=("--face=$face:flux"); done
round=('--exact=sin(2*pi*x)*cos(pi*y)*exp(cos(4*pi*z))' '--kappa=2+cos(2*pi*x)*sin(pi*y)' --size=1x2x0.5 --tol=1e-12)
all=("${round[@]}" --cells=9x14x11 --face=x0:periodic --face=y1:periodic --face=z0:periodic)
two=("${round[@]}" --cells=33x8x12 --face=x0:periodic --face=z0:periodic --face=y0:h=3)
layers=(--source=0 --material=wool:kappa=0.04 --region='wool:x>0.5' --kappa=400 --N=8 '--face=x0:h=5,ambient=20' --face=z0:flux=3)

# parts FILE: who computed matrix, load vector and errors, as far as they are there.
parts() {
    sed -n '/^  "assembled": {$/,/}/s/.*": "\(.*\)".*/\1/p' "$1" | tr '\n' ' '
}

# agrees NAME ARGUMENT...: the device's matrix gives the host's iterations (within 1) and answer.
agrees() {
    local name=$1 key more
    shift
    gives host.json --assemble=host "$@"
    same "$name: sent by the host" "$? $(parts host.json | cut -d ' ' -f 1)" "0 host"
    gives device.json "$@"
    same "$name: computed on the device" "$? $(parts device.json | cut -d ' ' -f 1,2)" "0 device host"
    more=$(($(value iterations device.json) - $(value iterations host.json)))
    [ "${more#-}" -le 1 ]
    verdict "$name: iterations" $? "$more more"
    for key in l2 h1 source_in flux_x0 flux_x1 flux_z1; do
        grep -q "\"$key\":" host.json && figure "$name" device.json $key "$(value $key host.json)" "$close"
    done
}
close=1e-8
agrees "SELL" "${mixed[@]}" --format=sell
agrees "CRS, Jacobi" "${mixed[@]}" --format=crs --precond=jacobi
agrees "SELL, multigrid" "${mixed[@]}" --format=sell --precond=mg
agrees "SELL, Galerkin products" "${mixed[@]}" --format=sell --precond=mg --coarse=galerkin
agrees "SELL, mixed precision" "${mixed[@]}" --format=sell --precision=mixed --precond=jacobi
agrees "CRS, materials, amg" "${layers[@]}" --format=crs --precond=amg --tol=1e-11
agrees "no face holds u" "${free[@]}" --format=sell
agrees "all directions periodic" "${all[@]}" --format=sell --precond=mg
agrees "x and z periodic" "${two[@]}" --format=crs --precond=jacobi
agrees "x and z periodic, multigrid" "${two[@]}" --format=sell --precond=mg --degree=3
agrees 'kappa of three numbers' "${mixed[@]/#--kappa=*/--kappa=1,2,3}" --precond=mg
agrees 'a reaction' "${mixed[@]}" --reaction=7+x --precond=mg
agrees "kappa is 1" --source=x*y --face=y1:value=z --N=7 --format=crs --tol=1e-12
agrees "SELL-4" "${mixed[@]}" --format=sell --chunk=4
close=1e-3
agrees "SELL, materials, single precision" "${layers[@]}" --format=sell --precision=single --precond=jacobi --tol=1e-5

gives host.json --assemble=host "${mixed[@]}" --format=none --precond=jacobi
gives device.json --assemble=device "${mixed[@]}" --format=none --precond=jacobi
figure "no matrix, Jacobi" device.json l2 "$(value l2 host.json)" 1e-10
gives device.json "${mixed[@]}" --reaction=7+x --format=none --precond=mg
gives sent.json --assemble=host "${mixed[@]}" --reaction=7+x --format=crs --precond=jacobi
figure "no matrix, a reaction" device.json h1 "$(value h1 sent.json)" 1e-8
for options in --format=sellc '--format=sell --sigma=64' '--format=sell --reproducible'; do
    # shellcheck disable=SC2086 # several options
    gives device.json "${mixed[@]}" $options --precond=jacobi
    same "$options: the host's" "$? $(parts device.json | cut -d ' ' -f 1)" "0 host"
    figure "$options" device.json l2 "$(value l2 host.json)" 1e-8
done
# solves_alike KERNEL OPTIONS: no matrix, by this kernel, and iterations and error of reference.json.
solves_alike() {
    local more
    # shellcheck disable=SC2086 # several options
    gives device.json $2 --tol=1e-12
    same "$2: exit status, kernel" "$? $(value kernel device.json)" "0 $1"
    figure "$2" device.json l2 "$(value l2 reference.json)" 1e-8
    more=$(($(value iterations device.json) - $(value iterations reference.json)))
    [ "${more#-}" -le 1 ]
    verdict "$2: iterations" $? "$more more"
}
# Cells of order p: rows that the host sends, and no matrix; what CUDA lacks, the CPU does.
for options in '--order=3 --cells=6x4x5 --precond=jacobi' '--order=6 --cells=3 --precond=chebyshev' '--order=5 --cells=3 --precond=mg' \
    '--order=3 --cells=4x3x5 --precond=fdm' '--order=4 --cells=3 --grade=x:2 --exact=x*y+z --precond=auto' \
    '--order=4 --cells=3x4x2 --grade=x:3 --exact=x^6*y+z --precond=jacobi' \
    '--order=5 --cells=3 --grade=z:2 --exact=x^2*y+z^6 --face=x0:flux --face=z0:h=2 --face=z1:flux --face=y1:h=3 --precond=jacobi' \
    '--order=3 --cells=4x3x5 --exact=(1+x^2)*cos(2*pi*y)*sin(2*pi*z) --face=y0:periodic --face=z0:periodic --face=x1:h=2 --reaction=4 --precond=mg' \
    '--order=2 --cells=5x3x4 --exact=cos(2*pi*x)+y*z^3 --face=else:flux --face=x0:periodic --reaction=2 --precond=chebyshev'; do
    # shellcheck disable=SC2086 # several options
    gives reference.json $options --tol=1e-12 --format=crs
    solves_alike order "$options"
done
timeout 300 "$cgsolve" --json=auto.json --order=2 --cells=3 --reproducible >out 2>err
same "--backend=auto --reproducible: exit status, backend" "$? $(value backend auto.json)" "0 cpu"
# Cells of order p that are no star, beside the CPU's kernel.
timeout 300 "$cgsolve" --backend=cpu --exact=1+x+y*z --cells=4x3x3 --output=numbers.npy >out 2>err
for options in '--order=4 --cells=4 --deform=0.1 --kappa=smooth --quadrature=gauss --precond=jacobi' \
    '--order=3 --cells=4x6x2 --size=1x2x0.5 --kappa=jump:5 --problem=octants --precond=chebyshev' \
    '--order=4 --cells=4x3x2 --exact=sin(x)*exp(y)+z --kappa=1+x+2*y*z --face=x0:flux --face=z1:h=2 --reaction=3 --precond=mg' \
    '--order=2 --cells=4x5x3 --exact=x^4*y+z^3 --kappa=1+x,1,2+z --face=y0:flux --grade=x:2,z:0.5 --precond=jacobi' \
    '--order=3 --cells=3x4x3 --exact=cos(2*pi*x)*sin(2*pi*z)+y --kappa=2+cos(2*pi*x) --face=x0:periodic --face=z0:periodic --precond=mg' \
    '--order=2 --cells=5x4x4 --exact=x^4*y+z --kappa=numbers.npy --face=y1:h=1 --precond=mg' \
    '--order=2 --cells=4x3x3 --exact=x^4+y --material=wool:kappa=20 --region=wool:z<0.5 --face=z0:flux --precond=chebyshev' \
    '--order=4 --cells=4x3x2 --exact=sin(x)*exp(y)+z --quadrature=gauss --kappa=1+x,2,1+z --face=x0:flux --face=z1:h=2 --reaction=3 --precond=mg' \
    '--order=3 --cells=3x4x3 --exact=cos(2*pi*x)*y^4 --quadrature=gauss --face=x0:periodic --grade=y:2 --precond=chebyshev' \
    '--order=2 --cells=6x4x5 --exact=x^4*y+z --quadrature=gauss --precond=jacobi' \
    '--order=3 --cells=4x5x3 --format=none --exact=sin(x)*exp(y)+z^3 --reaction=1+x --face=y1:h=1+4*(x>0.5) --face=z0:flux --precond=mg' \
    '--order=2 --cells=5x3x4 --exact=cos(2*pi*z)+x^3 --kappa=1+y --face=z0:periodic --face=x1:h=2+z --face=y0:h=1+x --precond=jacobi'; do
    # shellcheck disable=SC2086 # several options
    timeout 300 "$cgsolve" --backend=cpu --json=reference.json $options --tol=1e-12 >out 2>err
    solves_alike order_cells "$options"
done
# Rows with many entries: the bound by norms proves nothing here, and one of each row comes before all are generated.
proven=(--order=8 --cells=7 --source=1 --kappa=1+x --precond=mg --tol=1e-8)
timeout 300 "$cgsolve" --backend=cpu --json=reference.json "${proven[@]}" >out 2>err
gives device.json "${proven[@]}"
same 'bounds of rows: exit status, no row is named' "$? $(value worst_row_number device.json)" '0 '
figure 'bounds of rows' device.json worst_row "$(value worst_row reference.json)" 0.3
refuses 1 '--assemble=device: entries of this format are drawn from rows' --backend=cuda --assemble=device \
    "${mixed[@]}" --format=sellc

for options in '--precond=jacobi' '--precond=mg' '--precond=mg --guess=fmg' '--precond=mg --coarse=galerkin'; do
    for which in all two; do
        declare -n one=$which
        # shellcheck disable=SC2086 # several options
        solves host.json "${one[@]}" --format=none $options
        # shellcheck disable=SC2086
        gives device.json "${one[@]}" --format=none $options
        figure "periodic ($which), no matrix, $options" device.json l2 "$(value l2 host.json)" 1e-9
        figure "periodic ($which), no matrix, $options" device.json h1 "$(value h1 host.json)" 1e-9
    done
done

gives start.json "${mixed[@]}" --format=sell --output=u.npy
gives again.json "${mixed[@]/--tol=1e-12/--tol=1e-10}" --format=sell --guess=u.npy
same 'from the solution it takes no iteration' "$? $(value iterations again.json)" '0 0'
figure 'and has its error' again.json l2 "$(value l2 start.json)" 1e-9
solves host.json --cells=6x7x8 --source='x*y' --tol=0.5 --output=b.mtx # 5 x 6 x 7 numbers, here a load
load=(--rhs=b.mtx --cells=5x7x7 --face=z0:periodic --face=x1:flux=2 '--kappa=1+x' --tol=1e-12)
for options in --format=sell --format=none '--format=crs --precond=mg'; do
    # shellcheck disable=SC2086 # several options
    solves host.json "${load[@]}" $options --output=host.npy
    # shellcheck disable=SC2086
    gives device.json "${load[@]}" $options
    figure "a load vector of a file, $options" device.json flux_x0 "$(value flux_x0 host.json)" 1e-8
    # shellcheck disable=SC2086
    gives device.json "${load[@]/--tol=1e-12/--tol=1e-9}" $options --guess=host.npy
    same "a load vector of a file, $options, from the solution" "$? $(value iterations device.json)" '0 0'
done
order=(--order=2 --rhs=b.mtx --cells=3x3x4 --face=y1:flux=2)
for options in --format=none --format=sell --kappa=1+x '--kappa=1+x --precond=mg'; do
    # shellcheck disable=SC2086 # several options
    solves host.json "${order[@]}" --tol=1e-12 $options --output=host.npy
    # shellcheck disable=SC2086
    gives device.json "${order[@]}" --tol=1e-9 $options --guess=host.npy
    same "order 2, a load vector of a file, $options, from the solution" "$? $(value iterations device.json)" '0 0'
done

# Kernels without entries in the laboratory: vectors in padded lines where N is no multiple of 16.
while read -r kernel options; do
    # shellcheck disable=SC2086 # several options
    timeout 300 "$cgsolve" spmv --backend=cuda --repeat=2 --kernel=$kernel $options --json=lab.json >out 2>err
    same "spmv $options: exit status, $kernel" \
        "$? $(awk -v k="\"$kernel\"," '/"name":/ { name = $2 } /"state":/ && name == k { print $2 }' lab.json)" '0 "timed",'
done <<'ROWS'
stencil --N=16
stencil --cells=10x8x6
cells --N=9 --deform=0.1
order --order=4 --N=15
order_cells --order=3 --cells=3x4x3 --kappa=smooth --quadrature=gauss
order_cells --order=2 --N=9 --deform=0.1 --problem=mass --quadrature=gauss --precision=single
ROWS

echo "$passed passed, $failed failed"
[ $failed = 0 ]
