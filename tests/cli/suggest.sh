#!/usr/bin/env bash
# tests/cli/suggest.sh: what a solve proposes to try next (called as ./bootstrap run calls it) fits
# what was run, and runs as printed.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"
# cgsolve run ARGUMENT...: what bootstrap would be.
mkdir bin && printf '#!/bin/sh\nshift\nexec "%s" "$@"\n' "$cgsolve" >bin/cgsolve && chmod +x bin/cgsolve
PATH=$work/bin:$PATH

# run ARGUMENT...: a solve that is called as bootstrap calls it.
run() {
    timeout 120 bash -c 'exec -a "cgsolve run" "$@"' run "$cgsolve" "$@"
}

# next FILE: the commands that a report proposes, one a line.
next() {
    sed -n '/^Try next/,$ s/^.\{11\}\(cgsolve .*\)/\1/p' "$1" | sed 's/  .*//'
}

# proposes ARGUMENT...: three commands, which run; the same line is run once only. Their runs are
# shortened where they would take their time.
proposes() {
    local command count=0
    run "$@" >said 2>err
    verdict "$*" $? "$(head -n 1 err)"
    while IFS= read -r command; do
        count=$((count + 1))
        if grep -qxF -- "$command" tried 2>/dev/null; then
            continue
        fi
        echo "$command" >>tried
        [[ $command != *\ spmv\ * ]] || command+=' --repeat=2'
        [[ $command != 'cgsolve run spmv --kernel=all --repeat=2' ]] || command+=' --N=8'
        [[ $command != 'cgsolve run study'* ]] || continue # its own tests run it
        timeout 120 bash -c "$command" >out 2>err
        verdict "  $command" $? "$(head -n 1 err)"
    done < <(next said)
    same "  proposes three" $count 3
}

echo "# Proposals run"
proposes --backend=cpu --N=12
grep -q '^Try next   cgsolve run --N=12 --backend=cpu --format=none --precond=mg$' said
verdict 'plain CG on the box: multigrid is the first' $? "$(next said | head -n 1)"
proposes --backend=cpu --N=12 --format=none --precond=mg
! grep -q '  multigrid' <(sed -n '/^Try next/,$p' said)
verdict 'what was run is not proposed' $?
proposes --backend=cpu --cells=8x9x7 --size=1x2x1
grep -q '^Try next   cgsolve run --cells=8x9x7 --size=1x2x1 --backend=cpu --format=none --precond=mg$' said
verdict 'of a box, that box' $? "$(next said | head -n 1)"
COLUMNS=120 proposes --backend=cpu --N=9 --exact=x --let=k=1 --face=x0:flux --face=y1:h=k
grep -qxF -- "cgsolve run --N=9 --exact=x --face=x0:flux --face=y1:h=k --let=k=1 --backend=cpu --format=none --precond=mg" \
    <(next said)
verdict 'of an own problem, that problem' $? "$(next said | head -n 1)"
proposes --backend=cpu --N=11 --deform=0.1 --kappa=jump:100 --problem=octants --format=crs
proposes --backend=cpu --N=11 --precond=amg
proposes --backend=cpu --N=11 --problem=course --precision=mixed
proposes --backend=cpu --N=11 --problem=random --precision=single --format=sellc --profile
proposes --backend=cpu --N=11 --solves=2 --format=none
proposes --backend=cpu --N=1
cp "$sources/tests/systems/nos4.mtx" "a b'c.mtx"
proposes --backend=cpu --matrix="a b'c.mtx"
grep -qF -- "--matrix='a b'\\''c.mtx'" said
verdict "a file's name is quoted for the shell" $? "$(next said | head -n 1)"

echo "# Where there are none"
grep -q '^Try next' <("$cgsolve" --backend=cpu --N=5)
same 'as cgsolve' $? 1
run --backend=cpu --N=5 --json=- >report.json
valid_json 'with --json=-' report.json
run --backend=cpu --N=9 --max-iterations=2 >out 2>err
same 'not converged: status' $? 2
grep -q '^Try next' out
same 'not converged: the message proposes' $? 1

echo "$passed passed, $failed failed"
[ $failed = 0 ]
