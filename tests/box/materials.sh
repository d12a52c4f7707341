#!/usr/bin/env bash
# tests/box/materials.sh: materials and regions of a problem of one's own, and kappa of cells from files. What is
# compared with is the series resistance of a wall and volumes of boxes.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "${BASH_SOURCE[0]}")/../cli/cli.bash"
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3 to read reports and arrays"
    exit 77
fi

# facts NAME FILE: "least most source volume cells" of that material in a report.
facts() {
    python3 - "$1" "$2" <<'PYTHON'
import json, sys
for m in json.load(open(sys.argv[2]))["materials"]:
    if m["name"] == sys.argv[1]:
        print(*("%.12g" % m[key] for key in ("kappa_least", "kappa_most", "source", "volume", "cells") if key in m))
PYTHON
}

# flux FILE: "right" if kappa du/dx of all first cells is what the resistances let through, of the .npy of a box of length
# 1 whose first layer has kappa 0.5. (Nodes with u = 0 at x = 0 are beyond a free face.)
flux() {
    python3 - "$1" <<'PYTHON'
import re, struct, sys
data = open(sys.argv[1], "rb").read()
start = 10 + struct.unpack("<H", data[8:10])[0]
nz, ny, nx = map(int, re.search(rb"\((\d+), (\d+), (\d+)\)", data).groups())
u = struct.unpack("<%dd" % (nz * ny * nx), data[start:])
steps = [0.5 * (u[i * nx] - u[i * nx + 1]) * (nx - 1) for i in range(nz * ny) if u[i * nx] == 1]
mean = sum(steps) / len(steps)
wanted = 1 / (0.25 / 0.5 + 0.25 / 0.04 + 0.5 / 2)
print("right" if max(abs(s / wanted - 1) for s in steps) < 1e-8 else "%.12g, not %.12g" % (mean, wanted))
PYTHON
}

echo "# Walls of three layers"
insulated=(--face=y0:flux=0 --face=y1:flux=0 --face=z0:flux=0 --face=z1:flux=0)
wall=(--cells=20x4x6 --face=x0:value=1 --face=x1:value=0 "${insulated[@]}" --tol=1e-13 --precond=jacobi)
# shellcheck disable=SC2054
layers=(--material=brick:kappa=0.5 --region=brick:0,0,0,w,1,1 --material=foam:kappa=0.04
    --region='foam:x > w && x < 2*w' --let=w=0.25)
solves wall.json "${wall[@]}" "${layers[@]}" --kappa=2 --output=wall.npy
verdict "a wall of materials is solved" $? "$(head -n 1 err)"
same "its flux is that of resistances in series" "$(flux wall.npy)" right
same "brick" "$(facts brick wall.json)" "0.5 0.5 0 0.25 120"
same "foam" "$(facts foam wall.json)" "0.04 0.04 0 0.25 120"
same "else" "$(facts else wall.json)" "2 2 0 0.5 240"
grep -q '^Materials  *material  *kappa  *source  *volume  *share  *cells' out && grep -q '^ *foam  *0.04  *0  *0.25  *25 %  *120' out
verdict "the text has them" $? "$(grep -A 3 Materials out)"
solves plain.json "${wall[@]}" --kappa='x<0.25 ? 0.5 : x<0.5 ? 0.04 : 2' --output=plain.npy
cmp wall.npy plain.npy
verdict "the same bits as by an expression" $?

echo "# Sources"
box=(--cells=8x8x4 --size=2x1x1)
solves hot.json "${box[@]}" --material=hot:kappa=10,source=100 --region=hot:0.5,0.25,0,1,0.75,0.5 --source=1
verdict "a hot spot is solved" $? "$(head -n 1 err)"
same "its source is that times its volume" "$(facts hot hot.json)" "10 10 12.5 0.125 16"
same "elsewhere --source" "$(facts else hot.json)" "1 1 1.875 1.875 240"
solves shared.json "${box[@]}" --material=a:kappa=1+x --region=a:'max(x,1)<1.5' --source=3
same "a material without a source has --source" "$(facts a shared.json)" "1.125 2.375 4.5 1.5 192"
solves jump.json --N=9 --material=a:kappa=2 --region=a:0,0,0,0.6,1,1 '--source=x<0.43?1:0'
same "the same integral as in the load" "$(facts a jump.json)" "2 2 0.43 0.6 600"
solves whole.json "${box[@]}" --material=a:kappa=1+x,source=3 --region=a:1
same "cells of one material alone" "$(facts a whole.json) $(facts else whole.json)" "1.125 2.875 6 2 256 "
solves exact.json --cells=8x4x4 --exact='x<0.5 ? 4*x : 1.5+x' --material=b:kappa=4 --region=b:0.5,0,0,1,1,1
same "with --exact the source follows from it" "$(facts b exact.json)" "4 4 0.5 64"
python3 -c 'import json; e = json.load(open("exact.json"))["error"]; exit(e["max"] > 1e-9)'
verdict "and a kink of the solution is exact" $? "$(grep -A 5 '"error"' exact.json)"

echo "# Extremes"
solves linear.json --cells=4x6x4 --exact='1+2*x-3*y+z' --material=a:kappa=1 --region=a:0,0,0,0.5,1,1 --face=x0:flux --face=z1:flux --tol=1e-14 --verbose
verdict "a solution that is linear is solved" $? "$(head -n 1 err)"
python3 - linear.json <<'PYTHON'
import json, sys
def close(said, least, least_at, most, most_at, mean):
    flat = [said["least"], *said["least_at"], said["most"], *said["most_at"], said["mean"]]
    return all(abs(a - b) < 1e-12 for a, b in zip(flat, [least, *least_at, most, *most_at, mean], strict=True))
report = json.load(open(sys.argv[1]))
of = {m["name"]: m["solution"] for m in report["materials"]}
sys.exit(not (close(report["solution"], -2, (0, 1, 0), 4, (1, 0, 1), 1) and close(of["a"], -2, (0, 1, 0), 3, (0.5, 0, 1), 0.5)
              and close(of["else"], -1, (0.5, 1, 0), 4, (1, 0, 1), 1.5)))
PYTHON
verdict "its extremes are those of the box and of each material's half" $? "$(grep -A 9 '"solution"' linear.json)"
grep -q '^Solution  *-2 at (0, 1, 0) \.\.\. 4 at (1, 0, 1), mean 1$' out && grep -q '^ *a  *-2  *3  *0\.5 *$' out && grep -q '^ *else  *-1  *4  *1\.5 *$' out
verdict "--verbose has them all" $? "$(grep -A 4 '^Solution' out)"

echo "# Points"
linear=(--cells=4x6x4 '--exact=1+2*x-3*y+z' --face=x0:flux --face=z1:flux --tol=1e-14)
solves points.json "${linear[@]}" --probe=0.3,0.9,0.1 --probe=1,0,1 --line=0,0.5,1:1,0,0.5:5,line.csv
verdict "points are measured" $? "$(head -n 1 err)"
python3 - points.json line.csv <<'PYTHON'
import csv, json, sys
def u(x, y, z):
    return 1 + 2 * x - 3 * y + z
def right(at, value, gradient):
    return all(abs(a - b) < 1e-12 for a, b in zip([value, *gradient], [u(*at), 2, -3, 1], strict=True))
report = json.load(open(sys.argv[1]))
probes, points = report["probes"], report["line"]["points"]
rows = list(csv.reader(open(sys.argv[2])))
ends = [p["at"] for p in probes] == [[0.3, 0.9, 0.1], [1, 0, 1]] and points[0]["at"] == [0, 0.5, 1] and points[4]["at"] == [1, 0, 0.5]
same = [[p["arc_length"], *p["at"], p["value"], *p["gradient"]] for p in points] == [[float(n) for n in row] for row in rows[1:]]
length = abs(points[4]["arc_length"] - 1.5 ** 0.5) < 1e-15 and abs(points[2]["arc_length"] - 0.5 * 1.5 ** 0.5) < 1e-15
head = rows[0] == ["arc_length", "x", "y", "z", "u", "du_dx", "du_dy", "du_dz"]
sys.exit(not (ends and same and length and head and all(right(p["at"], p["value"], p["gradient"]) for p in probes + points)))
PYTHON
verdict "u and its gradient are those of a linear function, in JSON and CSV alike" $? "$(cat line.csv)"
grep -q '^Probes  *-1 at (0\.3, 0\.9, 0\.1), gradient (2, -3, 1)$' out && grep -q '^Line  *line.csv: 5 points from (0, 0\.5, 1) to (1, 0, 0\.5)$' out
verdict "the text has them" $? "$(grep -A 3 '^Probes' out)"
refuses 2 "'none.csv' is not written" --backend=cpu "${linear[@]}" --max-iterations=1 --line=0,0,0:1,1,1:5,none.csv
accepts --backend=cpu "${linear[@]}" --line=0,0.5,1:1,0,0.5:5
[ "$(grep -A 6 '^Line' out | grep -c '2  *-3  *1$')" = 5 ]
verdict "without a file the report has the line" $? "$(grep -A 6 '^Line' out)"

echo "# The limit of a value as the mesh is refined"
# In the middle of the cube -Laplace u = 1 has the value below.
middle=$(python3 -c '
from math import cosh, pi, sqrt
odd = [n for n in range(1, 60, 2)]
print(sum(16 / pi ** 4 / (m * n * (m * m + n * n)) * (1 - 1 / cosh(pi / 2 * sqrt(m * m + n * n))) * (-1) ** ((m + n - 2) // 2) for m in odd for n in odd))')
accepts study --backend=cpu --source=1 --N=7,11,15,23 --precond=mg --probe=0.5,0.5,0.5 --probe=0.25,0.25,0.25 --json=limits.json --csv=limits.csv --report=limits
python3 - limits.json limits.csv "$middle" <<'PYTHON'
import csv, json, sys
report, rows, middle = json.load(open(sys.argv[1])), list(csv.DictReader(open(sys.argv[2]))), float(sys.argv[3])
limits, points = report["series"][0]["limits"], [point["facts"] for point in report["points"]]
def near(limit):
    return abs(limit["order"] - 2) < 0.1 and abs(limit["value"] - middle) < 0.03 * abs(limit["finest"] - middle)
last = rows[-1]
sys.exit(not (near(limits["most"]) and near(limits["probe_1"]) and limits["most"]["finest"] == points[-1]["most"] == points[-1]["probe_1"]
              and limits["least"] == {"finest": 0, "value": 0} and len(limits) == 5 and rows[1]["most_limit"] == "" != rows[2]["most_limit"]
              and abs(float(last["probe_1_limit"]) - limits["probe_1"]["value"]) < 1e-8 and abs(float(last["mean_order"]) - limits["mean"]["order"]) < 1e-6))
PYTHON
verdict "order 2, and the limit is that of the series" $? "$middle; $(grep -A 30 '"limits"' limits.json | tr -d ' \n')"
grep -q 'The largest u: <strong>0[.][0-9]* with N = 23</strong>; extrapolated 0[.][0-9]*, by the observed order 2[.0-9]*[.]<' limits/report.html
verdict "the page begins with it" $? "$(grep -o 'The largest u.*' limits/report.html)"
grep -q '^Solution  *u on each mesh' out && grep -q '^ *mesh  *least u  *most u  *mean u  *probe 1  *probe 2$' out && grep -Eq '^ *order  *-  *(2|[12]\.[0-9]+)  *(2|[12]\.[0-9]+) ' out
verdict "the text has them" $? "$(grep -A 16 '^Solution' out)"
limit=$(sed -n 's/^ *limit  *[^ ]*  *\([^ ]*\) .*/\1/p' out | head -n 1)
grep -q 'u on each mesh' limits/report.html && grep -q "$limit" limits/report.html
verdict "and the page" $? "$limit"
accepts study --backend=cpu --N=3,7 --precond=mg
! grep -q '^Solution' out
verdict "a built-in problem without probes has no such table" $?

echo "# The last region wins"
solves last.json "${box[@]}" --material=a:kappa=2 --material=b:kappa=3 --region=a:1 --region=b:x\<1 --region=a:x\<0.5
same "a" "$(facts a last.json)" "2 2 0 1.5 192"
same "b" "$(facts b last.json)" "3 3 0 0.5 64"

echo "# Materials that make no sense"
a=--material=steel:kappa=1
refuses 1 "--material=steel is not understood: expected NAME:kappa=EXPR or NAME:kappa=EXPR,source=EXPR" --material=steel
refuses 1 "is not understood: expected NAME:kappa" --material=steel:kappa=
refuses 1 "is not understood: expected NAME:kappa" --material=steel:source=1
refuses 1 "is not understood: expected NAME:kappa" --material=steel:kappa=1,source=
refuses 1 "is not understood: expected NAME:kappa" '--material=st eel:kappa=1'
refuses 1 "is not understood: expected NAME:kappa" --material=a23456789b123456789c123456789d12:kappa=1
refuses 1 "--material=else: .*take another name" --material=else:kappa=1 --region=else:1
refuses 1 "--material=steel appears twice" $a --material=steel:kappa=2
refuses 1 "--material=steel:kappa: .*unknown name 'q'" --material=steel:kappa=q
refuses 1 "--material=steel:source: " "$a,source=1+" --region=steel:1
refuses 1 "material steel has no --region" $a
refuses 1 "there is no --material of that name; did you mean 'steel'" $a --region=stel:1
refuses 1 "--region=wood: there is no --material of that name$" $a --region=wood:1
refuses 1 "there is no --material of that name$" --region=wood:1
refuses 1 "--region=steel is not understood: expected NAME:x0,y0,z0,x1,y1,z1" $a --region=steel
refuses 1 "is not understood: expected NAME:x0,y0,z0,x1,y1,z1" $a --region=steel:0,0,0,1,1
refuses 1 "is not understood: expected NAME:x0,y0,z0,x1,y1,z1" $a --region=steel:0,0,0,1,1,1,1
refuses 1 "is not understood: expected NAME:x0,y0,z0,x1,y1,z1" $a --region=steel:0,0,,1,1,1
refuses 1 "from y = 1 to y = 0 is empty" $a --region=steel:0,1,0,1,0,1
refuses 1 "unknown name 'x'" $a --region=steel:0,0,0,x,1,1
refuses 1 "'1/0' is inf: expected a finite number" $a --region=steel:0,0,0,1/0,1,1
refuses 1 "--region=steel: " $a '--region=steel:x<'
refuses 1 "--region=steel: 'sqrt\(x-0.5\)' is -?nan at x = " $a '--region=steel:sqrt(x-0.5)'
refuses 1 "no cell has material steel: no centre of a cell lies in a --region of it" $a --region=steel:2,0,0,3,1,1
refuses 1 "no cell has material steel: later --region options take all of its cells" $a --region=steel:x --material=b:kappa=1 --region=b:1
refuses 1 "kappa 'x-0.5' of material steel is -0.4.* in cell \(0, 0, 0\)" --N=4 --material=steel:kappa=x-0.5 --region=steel:x
refuses 1 "kappa 'x-0.5' is -0.4.* in cell \(0, 0, 0\)" --N=4 --kappa=x-0.5 $a '--region=steel:x>0.5'
refuses 1 "source '1/\(x-0.1\)' of material steel is inf in cell \(0, 0, 0\)" --N=4 "$a,source=1/(x-0.1)" --region=steel:1
refuses 1 "material steel has a source, and that of other cells would follow from --exact" "$a,source=1" --region=steel:1 --exact=x
refuses 1 "--material and --problem=smooth both name a problem" $a --region=steel:1 --problem=smooth

echo "# kappa of files"
python3 - <<'PYTHON'
import struct
nx, ny, nz = 4, 3, 2
def value(ix, iy, iz): return 1 + ix + 10 * iy + 100 * iz
def save(name, descr, fortran=False, shape=(nz, ny, nx), version=1, at=value, cut=0, more=b"", header=None):
    text = header or "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }" % (descr, fortran, "".join("%d, " % n for n in shape))
    size = 10 if version == 1 else 12
    text = text + " " * (-(size + len(text) + 1) % 64) + "\n"
    out = b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text.encode()
    order = [(x, y, z) for x in range(nx) for y in range(ny) for z in range(nz)] if fortran else \
            [(x, y, z) for z in range(nz) for y in range(ny) for x in range(nx)]
    code = {"f8": "d", "f4": "f", "i8": "q", "i4": "i", "i2": "h", "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "i1": "b"}.get(descr[1:], "d")
    out += b"".join(struct.pack((">" if descr[0] == ">" else "<") + code, at(*c)) for c in order) + more
    open(name, "wb").write(out[:len(out) - cut])
for descr in "<f8", ">f8", "<f4", ">f4", "<i8", "<i4", ">i2", "|u1", "<u2", "<u4", ">u8", "|i1":
    save("%s%s.npy" % ("big" if descr[0] == ">" else "c", descr[1:]), descr)
save("fortran.npy", "<f8", True)
save("second.npy", "<f4", version=2)
save("third.npy", "<f8", version=3)
save("turned.npy", "<f8", shape=(nx, ny, nz))
save("flat.npy", "<f8", shape=(24,))
save("short.npy", "<f8", cut=5)
save("long.npy", "<f8", more=b"\0")
save("complex.npy", "<c8")
save("bool.npy", "|b1")
save("nan.npy", "<f8", at=lambda x, y, z: float("nan") if (x, y, z) == (2, 1, 0) else 1.0)
save("zero.npy", "<i4", at=lambda x, y, z: 0 if (x, y, z) == (3, 2, 1) else 1)
save("zerof.npy", "<i4", True, at=lambda x, y, z: 0 if (x, y, z) == (3, 2, 1) else 1)
save("dictionary.npy", "<f8", header="{'descr': '<f8', 'shape': (2, 3, 4)}")
save("twice.npy", "<f8", header="{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 4)}")
save("code.npy", "<f8", header="{'descr': '<f8', 'fortran_order': exit(), 'shape': (2, 3, 4)}")
open("text.npy", "w").write("1 2 3\n")
open("empty.npy", "w").close()
open("head.npy", "wb").write(open("cf8.npy", "rb").read()[:40])
open("six.npy", "wb").write(open("cf8.npy", "rb").read()[:9])
raw = struct.pack("=24d", *[value(x, y, z) for z in range(nz) for y in range(ny) for x in range(nx)])
open("good.raw", "wb").write(raw)
open("short.raw", "wb").write(raw[:-8])
open("long.raw", "wb").write(raw + raw)
PYTHON
files=(--cells=4x3x2 --source=1)
tall=(--cells=4x3x2 --source=1 --face=z0:flux=0)
solves formula.json "${tall[@]}" --output=formula.npy \
    --kappa='1 + (4*x-0.5) + 10*(3*y-0.5) + 100*(2*z-0.5)'
for file in cf8 bigf8 cf4 bigf4 ci8 ci4 bigi2 cu1 cu2 cu4 bigu8 fortran second; do
    solves file.json "${tall[@]}" --kappa=$file.npy --output=file.npy
    verdict "$file.npy is read" $? "$(head -n 1 err)"
    near_arrays file.npy formula.npy 1e-12
    verdict "$file.npy has the kappa of the formula" $?
done
solves raw.json "${tall[@]}" --kappa=good.raw --output=raw.npy
cmp raw.npy file.npy
verdict "good.raw likewise" $?
solves both.json "${files[@]}" --kappa=zero.npy --material=a:kappa=5 --region='a:x>0.75'
same "a material instead of numbers of the file" "$(facts a both.json) $(facts else both.json)" "5 5 0.25 0.25 6 1 1 0.75 0.75 18"

echo "# Files that make no sense"
refuses 4 "--kappa=absent.npy: cannot open: No such file" "${files[@]}" --kappa=absent.npy
refuses 4 "--kappa=cf8.npy: its shape is \(2, 3, 4\), and the box of 4x3x3 cells has \(3, 3, 4\)" --cells=4x3x3 --source=1 --kappa=cf8.npy
refuses 4 "its shape is \(4, 3, 2\), and the box of 4x3x2 cells has \(2, 3, 4\).*save a.transpose\(\)" "${files[@]}" --kappa=turned.npy
refuses 4 "its shape is \(24,\), and" "${files[@]}" --kappa=flat.npy
refuses 4 "ends after 23 of 24 numbers" "${files[@]}" --kappa=short.npy
refuses 4 "goes on after 24 numbers" "${files[@]}" --kappa=long.npy
refuses 4 "type that is not read here: expected float64, float32 or integers" "${files[@]}" --kappa=complex.npy
refuses 4 "type that is not read here" "${files[@]}" --kappa=bool.npy
refuses 4 "is of version 3.0 of .npy: expected 1.0 or 2.0" "${files[@]}" --kappa=third.npy
refuses 4 "the number of cell \(2, 1, 0\) of .* is nan" "${files[@]}" --kappa=nan.npy
refuses 4 "the header is not numpy's" "${files[@]}" --kappa=dictionary.npy
refuses 4 "the header is not numpy's" "${files[@]}" --kappa=twice.npy
refuses 4 "the header is not numpy's" "${files[@]}" --kappa=code.npy
refuses 4 "is not a .npy file" "${files[@]}" --kappa=text.npy
refuses 4 "is not a .npy file" "${files[@]}" --kappa=empty.npy
refuses 4 "ends within the header" "${files[@]}" --kappa=head.npy
refuses 4 "ends within the header" "${files[@]}" --kappa=six.npy
refuses 4 "ends after 23 of 24 numbers" "${files[@]}" --kappa=short.raw
refuses 4 "goes on after 24 numbers" "${files[@]}" --kappa=long.raw
mkdir folder.raw
refuses 4 "folder.raw: cannot open: Is a directory" "${files[@]}" --kappa=folder.raw
refuses 1 "kappa of 'zero.npy' is 0 in cell \(3, 2, 1\)" "${files[@]}" --kappa=zero.npy
refuses 1 "kappa of 'zerof.npy' is 0 in cell \(3, 2, 1\)" "${files[@]}" --kappa=zerof.npy
refuses 1 "kappa of 'zero.npy' is 0 in cell \(3, 2, 1\)" "${files[@]}" --kappa=zero.npy --material=a:kappa=5 --region='a:x<0.25'

echo "$passed passed, $failed failed"
[ $failed = 0 ]
