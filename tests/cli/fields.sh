#!/usr/bin/env bash
# tests/cli/fields.sh: --output=FILE.vti, .vtu, .npy, .csv: read back by Python alone (fields.py), by NumPy, VTK and
# meshio where these are there, and compared with each other and the report; vectors of a file's matrix, with the .mtx; what cannot be
# written is refused.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"
most=-1
for candidate in python3 /usr/bin/python3; do
    found=$($candidate -c 'import importlib.util as u
print(sum(u.find_spec(name) is not None for name in ("numpy", "vtk", "meshio")))' 2>/dev/null) || continue
    if [ "$found" -gt "$most" ]; then
        python=$candidate most=$found
    fi
done

# write NAME ENDINGS OPTION...: the same solve into each of these.
write() {
    local name=$1 ending endings=$2
    shift 2
    for ending in $endings; do
        "$cgsolve" --output="$name.$ending" --json="$name.json" --reproducible --tol="${tol:-1e-10}" "$@" >out 2>err
        verdict "$name.$ending is written" $? "$(cat err)"
    done
}
write u 'vti vtu npy csv' --N=5
write d 'vtu npy csv' --N=4 --deform=0.1
write e 'vtu npy csv' --N=7 --deform=0.08 --problem=boundary --precision=mixed
write k 'vti vtu npy csv' --N=3 --kappa=jump:5 # whose error is not known
write b 'vti vtu npy csv' --cells=5x9x3 --size=1x2x0.5
write c 'vti vtu npy csv' --cells=4x4x4 --size=3x3x0.75 --quadrature=blended
write l 'vti vtu npy csv' --cells=2x3x40 --size=2x3x40
# Free faces, whose nodes are unknowns: there is none beyond them.
own=(--exact='1+2*x-y+3*z' --size=1x2x0.5)
tol=1e-13
write f 'vti vtu npy csv' --cells=4x6x5 "${own[@]}" --face=x1:flux --face='y0:h=3'
write g 'vti vtu npy csv' --cells=3x2x7 "${own[@]}" --face=x0:flux --face=x1:h=1+y --face=y1:flux --face=z0:flux
write h 'vti vtu npy csv' --cells=2x3x2 "${own[@]}" --face=z0:flux --face=z1:h=2 --kappa=2
write i 'vti vtu npy csv' --cells=6x4x5 "${own[@]}" --face=z1:h=2+x # after the last unknown alone
tol=
write o 'vti vtu npy csv' --order=3 --cells=2x3x2 --size=1x2x0.5 --probe=0.3,1.7,0.05 --probe=1,0.6,0.5 --probe=0.51,1.4,0.2
head -n 1 k.csv | grep -qx x,y,z,solution,residual
verdict "no column for an error that is not known" $? "$(head -n 1 k.csv)"
if [ -n "${python-}" ]; then
    PYTHONDONTWRITEBYTECODE=1 $python "$sources/tests/cli/fields.py" u d e k b=5x9x3:1x2x0.5 o=2x3x2:1x2x0.5:order=3 c=4x4x4:3x3x0.75 l=2x3x40:2x3x40 \
        {f=4x6x5,g=3x2x7,h=2x3x2,i=6x4x5}:1x2x0.5:'1+2*x-y+3*z' >checks 2>err
    verdict "fields.py reads all" $? "$(tail -n 3 err)"
    cat checks
    passed=$((passed + $(grep -c '^ok' checks)))
    failed=$((failed + $(grep -c '^FAILED' checks)))
    [ "$(grep -c '^ok' checks)" -ge 180 ]
    verdict "... with 180 checks or more" $? "$(grep -c '^ok' checks)"
else
    echo "skipped: no python3 here to read the files"
fi

# Slices at, beside and between free faces: pixel centres, from half a pixel of 300 on.
without_drawing
# sliced PLANE LEAST MOST OPTION...: AWK's expressions.
sliced() {
    local plane=$1 least=$2 most=$3
    shift 3
    [[ $plane == *,* ]] || plane=$plane,solution
    "$cgsolve" --slice="$plane,s.svg" --json=s.json --reproducible --tol=1e-13 --cells=4x6x5 "${own[@]}" "$@" >out 2>err
    awk -F'[:,]' '/"least"/ { least = $2 } /"most"/ { most = $2 }
        function far(a, b) { return (a - b) ^ 2 > 1e-18 }
        BEGIN { a = 0.5 / 300; b = 1 - a }
        END { exit !(most != "" && !far(least, '"$least"') && !far(most, '"$most"')) }' s.json
    verdict "slice $plane of a box with free faces, $*" $? "$(cat err; grep -E 'least|most' s.json)"
}
for faces in '--face=x1:flux --face=y0:h=3' '--face=x0:flux --face=y1:h=3 --face=z0:flux' '--face=x0:flux --face=x1:h=1 --face=z0:h=2 --face=z1:flux'; do
    # shellcheck disable=SC2086 # several options
    for at in 0 0.13 0.5; do
        sliced z:$at "1 + 2*a - 2*b + 3*$at" "1 + 2*b - 2*a + 3*$at" $faces
        sliced x:$at "1 + 2*$at - 2*b + 1.5*a" "1 + 2*$at - 2*a + 1.5*b" $faces
    done
    for at in 0 0.13 0.5; do
        # shellcheck disable=SC2086
        sliced z:$at,flux 'sqrt(14)' 'sqrt(14)' $faces # of 1+2*x-y+3*z
    done
    # shellcheck disable=SC2086
    sliced x:1 "3 - 2*b + 1.5*a" "3 - 2*a + 1.5*b" $faces
    # shellcheck disable=SC2086
    sliced y:2 "-1 + 2*a + 1.5*a" "-1 + 2*b + 1.5*b" $faces
done

# Bytes that become '?' do not end the instruction, whatever follows.
"$cgsolve" --N=3 --output='°>.vtu' >out 2>err
same "a name with '°>' in the texts" "$(sed '/<AppendedData/q' '°>.vtu' | grep -ac '?>') $(grep -ac '^  command: .*=??[ ]>.vtu$' '°>.vtu')" '2 1'

# The box turned round has the same solution, turned.
write q 'csv' --cells=3x5x9 --size=0.5x1x2 --problem=sine
write r 'csv' --cells=5x9x3 --size=1x2x0.5 --problem=sine
paste -d, <(tail -n +2 q.csv | sort -t, -g -k2,2 -k3,3 -k1,1) <(tail -n +2 r.csv | sort -t, -g -k1,1 -k2,2 -k3,3) |
    awk -F, 'function far(a, b) { return (a - b) ^ 2 > 1e-18 }
        { n++; if (far($1, $9) || far($2, $7) || far($3, $8) || far($4, $10)) wrong++ } END { exit !(n == 240 && !wrong) }'
verdict "a box turned round" $?
# Cells of --cells=6 are those of --N=5, and a unit cube that is asked for is the one that is not.
"$cgsolve" --output=s.npy --reproducible --tol=1e-10 --cells=6 --size=1 >out 2>err && cmp -s s.npy u.npy
verdict "--cells=6 is --N=5, bit by bit" $? "$(cat err)"
write t 'vtu npy csv' --cells=5 --size=2 --deform=0.1
awk -F, 'NR > 1 { for (k = 1; k <= 3; k++) if ($k > most) most = $k } END { exit !(most == 2) }' t.csv
verdict "t.csv: a deformed cube of side 2" $?

# A file's matrix: a number for each row.
write m 'npy csv mtx' --matrix="$systems/nos4.mtx" --precond=jacobi
grep -v '^%' m.mtx | tail -n +2 >m.column
tail -n +2 m.csv | cut -d, -f2 | paste - m.column | awk '{ if ($1 - $2 > 1e-14 || $2 - $1 > 1e-14) wrong++; n++ }
    END { exit !(n == 100 && !wrong) }'
verdict "m.csv and m.mtx agree" $?
[ "$(wc -c <m.npy)" = $((128 + 800)) ] && head -c 128 m.npy | grep -qa "'shape': (100,)"
verdict "m.npy has 100 numbers" $? "$(head -c 128 m.npy | tr -d '\0')"

[ "$(find . -name '*.vti' -o -name 'C.*' | sort | tr '\n' ' ')" = './b.vti ./c.vti ./f.vti ./g.vti ./h.vti ./i.vti ./k.vti ./l.vti ./o.vti ./u.vti ' ]
verdict "what was refused left no file" $? "$(ls)"
# The wall of three layers: the same flux through all cells, kappa of each layer, materials by number.
if [ -n "${python-}" ]; then
    for kind in vti vtu; do
        "$cgsolve" @"$sources/examples/wall.txt" --tol=1e-12 --output=wall.$kind >out 2>err
        verdict "wall.$kind is written" $? "$(cat err)"
        PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/cli $python - wall.$kind <<'EOF' 2>err
import sys
import fields
head, arrays = fields.read_vtk(sys.argv[1])
material, kappa, flux = arrays["material"], arrays["kappa"], arrays["flux"]
assert fields.text_of(head, "materials") == "1 brick, 2 wool", head
assert list(material[:25]) == 16 * [1] + 8 * [2] + [0], material[:25]
assert all(k == (0.5, 0.7, 0.035)[m] for k, m in zip(kappa, material)), kappa[:25]
far = max(abs(q - (0 if i % 3 else -7.56348)) for i, q in enumerate(flux))
assert len(flux) == 3 * len(kappa) == 3 * 25 * 8 * 8 and far < 1e-5, far
EOF
        verdict "wall.$kind: material, kappa and flux of its cells" $? "$(cat err)"
    done
fi

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
