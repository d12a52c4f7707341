#!/usr/bin/env bash
# tests/cli/fields.sh: --output=FILE.vti, .vtu, .npy, .csv: read back by Python alone (fields.py), by NumPy and by
# VTK where these are there, and compared with each other; vectors of a file's matrix, with the .mtx; what cannot be
# written is refused.
set -u

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/cli/cli.bash
. "$here/cli.bash"
systems=${CGS_SRCDIR:-$here/../..}/tests/systems
most=-1
for candidate in python3 /usr/bin/python3; do
    found=$($candidate -c 'import importlib.util as u
print(sum(u.find_spec(name) is not None for name in ("numpy", "vtk")))' 2>/dev/null) || continue
    if [ "$found" -gt "$most" ]; then
        python=$candidate most=$found
    fi
done

# write NAME ENDINGS OPTION...: the same solve into each of these.
write() {
    local name=$1 ending endings=$2
    shift 2
    for ending in $endings; do
        "$cgsolve" --output="$name.$ending" --reproducible --tol=1e-10 "$@" >out 2>err
        verdict "$name.$ending is written" $? "$(cat err)"
    done
}
write u 'vti vtu npy csv' --N=5
write d 'vtu npy csv' --N=4 --deform=0.1
write k 'vti vtu npy csv' --N=3 --kappa=jump:5 # whose error is not known
head -n 1 k.csv | grep -qx x,y,z,solution,residual
verdict "no column for an error that is not known" $? "$(head -n 1 k.csv)"
if [ -n "${python-}" ]; then
    PYTHONDONTWRITEBYTECODE=1 $python "$here/fields.py" u d k >checks 2>err
    verdict "fields.py reads all" $? "$(tail -n 3 err)"
    cat checks
    passed=$((passed + $(grep -c '^ok' checks)))
    failed=$((failed + $(grep -c '^FAILED' checks)))
    [ "$(grep -c '^ok' checks)" -ge 25 ]
    verdict "... with 25 checks or more" $? "$(grep -c '^ok' checks)"
else
    echo "skipped: no python3 here to read the files"
fi

# A file's matrix: a number for each row.
write m 'npy csv mtx' --matrix="$systems/nos4.mtx" --precond=jacobi
grep -v '^%' m.mtx | tail -n +2 >m.column
tail -n +2 m.csv | cut -d, -f2 | paste - m.column | awk '{ if ($1 - $2 > 1e-14 || $2 - $1 > 1e-14) wrong++; n++ }
    END { exit !(n == 100 && !wrong) }'
verdict "m.csv and m.mtx agree" $?
[ "$(wc -c <m.npy)" = $((128 + 800)) ] && head -c 128 m.npy | grep -qa "'shape': (100,)"
verdict "m.npy has 100 numbers" $? "$(head -c 128 m.npy | tr -d '\0')"

refuses 1 'an image of the undeformed box, but --deform moves its nodes: take .*FILE\.vtu' --N=3 --deform=0.1 --output=d.vti
refuses 1 'mesh of the box, but --matrix brings none: take FILE\.npy' --matrix="$systems/nos4.mtx" --output=m.vtu
refuses 1 'a matrix is not written as \.npy: take FILE\.mtx' spgemm --N=3 --output=C.npy
refuses 4 'no/u.vtu' --N=3 --output=no/u.vtu
[ "$(find . -name '*.vti' -o -name 'C.*' | sort | tr '\n' ' ')" = './k.vti ./u.vti ' ]
verdict "what was refused left no file" $? "$(ls)"
rm -f u.vti
(ulimit -f 8 && "$cgsolve" --N=16 --output=u.vti >out 2>err)
status=$?
[ $status = 4 ] && [ ! -e u.vti ]
verdict "a full disk: status 4, no file" $? "status $status, $(cat err), $(ls -la)"
"$cgsolve" --N=200 --format=none --output=u.csv --plan >out 2>err
verdict "--plan counts it" $? "$(cat err)"
grep -q 'points of a plane' out
verdict "... by name" $? "$(cat out)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
