#!/usr/bin/env bash
# tests/cli/cli_pictures.sh: --slice as gnuplot draws it, and what is said where it or --output=FILE.vti, .vtu
# cannot be made (fields.sh reads those files). Parts that need gnuplot are skipped without.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"

echo "# Options"
refuses 1 'AXIS:POSITION' --slice=w:0.5,u.png
refuses 1 '0 <= POSITION <= 1' --slice=z:1.5,u.png
refuses 1 '0 <= POSITION <= 1 .*--size' --slice=z:1e14,u.png
refuses 1 'z:0\.6 lies outside of the box: take 0 <= POSITION <= 0\.5, its length in z' --size=1x2x0.5 --slice=z:0.6,u.png
refuses 1 'AXIS:POSITION,FIELD,FILE' --slice=z:0.5
refuses 1 "'u.jpg' is no name for a figure.*\.svg, \.png or \.pdf" --slice=z:0.5,u.jpg
refuses 1 'not understood: expected.*solution, error, residual or flux' --slice=z:0.5,erorr,u.png
refuses 1 '--slice belongs to the box' --matrix=x.mtx --slice=z:0.5,u.png
refuses 1 'mesh of the box.*--matrix brings none.*FILE\.mtx' --matrix=x.mtx --output=u.vtu
for name in u.vtk u.vtkhdf u.png a.b/u.h5 T.tsv T.npz u.1; do
    refuses 1 "--output=$name: nothing is written that ends in .${name##*.}; .*FILE\.vtu, FILE\.vti .*FILE\.mtx" \
        --N=3 --output=$name
done
refuses 1 'nothing is written that ends in .gz; .*FILE\.mtx .*and pack it afterwards' --N=3 --output=u.mtx.gz
refuses 1 'a matrix is not written as \.csv: .*FILE\.mtx' spgemm --N=3 --output=P.csv
for name in A.h5 A.mtx.xz A.csv; do
    refuses 1 "--save-matrix=$name: .*take FILE.mtx" --N=3 --save-matrix=$name
done
for option in --json --history; do
    refuses 1 "$option=x.GZ: nothing is written packed: leave out .GZ" --N=3 $option=x.GZ
done
refuses 1 '--csv=x.zst: nothing is written packed' study --N=3 --csv=x.zst
refuses 1 '--json=x.xz: nothing is written packed' study --N=3 --json=x.xz
for name in T.csv T.mtx T.svg T.vti T.npy; do
    refuses 1 "--json=$name: what is written there is JSON, not .${name##*.}: take FILE.json" --N=3 --json=$name
done
for command in study spmv spgemm doctor 'compare a.json b.json'; do
    # shellcheck disable=SC2086
    refuses 1 '--json=T.CSV: what is written there is JSON, not .CSV' $command --json=T.CSV
done
refuses 1 '--history=T.json: what is written there is CSV, not .json: take FILE.csv' --N=3 --history=T.json
refuses 1 '--csv=T.html: what is written there is CSV, not .html: take FILE.csv' study --N=3 --csv=T.html
for name in T.JSON T.txt T .T T-0.5; do
    accepts --backend=cpu --N=3 --json=$name --history=H$name.txt
    same "... $name" "$(value exit_status $name)" 0
    rm -f $name H$name.txt
done
for name in u.MTX u.mm u.txt u .u; do
    accepts --backend=cpu --N=3 --output=$name
    same "... $name" "$(head -c 14 $name)" %%MatrixMarket
    rm -f $name
done
refuses 1 'a matrix is not written as \.vtu: take FILE\.mtx' spgemm --N=3 --output=u.vtu
refuses 1 "--slice belongs to 'cgsolve solve'" spmv --N=3 --slice=z:0.5,u.png
refuses 1 "name the same file 'a.svg'" --json=a.svg --slice=z:0.5,a.svg
refuses 1 "--slice and --slice name the same file 'b.svg'" --slice=z:0.5,a.svg --slice=x:0.5,b.svg --slice=y:0,flux,b.svg
refuses 1 '--slice=y:1\.5 lies outside of the box' --slice=z:0.5,a.svg --slice=y:1.5,b.svg
refuses 1 '--slice=w:0,b\.svg is not understood' --slice=z:0.5,a.svg --slice=w:0,b.svg
refuses 1 'write --slice=x:0\.5,b\.svg$' --slice=z:0.5,a.svg --slice=x:0,5,b.svg
refuses 1 "'b.jpg' is no name for a figure" --N=7 --slice=z:0.5,a.svg --slice=x:0,b.jpg
refuses 1 'jumps, --problem=smooth has none' --N=7 --kappa=jump:5 --slice=z:0.5,a.svg --slice=z:0.5,error,b.svg
refuses 1 'jumps, --problem=smooth has none' --N=7 --kappa=jump:5 --slice=z:0.5,error,u.png
refuses 4 'cannot write the figure' --N=7 --slice=z:0.5,nowhere/u.png
same 'nothing was left' "$(echo *)" 'err out' # a.svg: the JSON report of a refusal

accepts --plan --backend=cpu --N=5 --slice=z:0.5,p.svg
grep -q 'slice' out && [ ! -e p.svg ]
verdict 'a plan counts the picture and draws none' $?

accepts --plan --backend=cpu --N=5 --slice=z:0.5,p.svg --slice=x:0.5,q.svg --json=two.json
accepts --plan --backend=cpu --N=5 --slice=z:0.5,p.svg --json=one.json
same 'and counts the pixels of each' \
    "$(($(value host_planned two.json) - $(value host_planned one.json)))" $((300 * 300 * 56))

echo "# Slices"
without_gnuplot refuses 4 "cannot draw 'g.svg'.*package gnuplot-nox.*g\.svg\.gp" \
    --backend=cpu --N=7 --slice=z:0.5,g.svg
grep -q '#440154' g.svg.gp
verdict 'without gnuplot its script is left' $?
without_gnuplot refuses 4 "cannot draw 'h.svg'" \
    --backend=cpu --cells=5x9x3 --size=1x3x1.5 --slice=x:0.3,h.svg
grep -qx 'set xrange \[0:3\]' h.svg.gp && grep -qx 'set yrange \[0:1\.5\]' h.svg.gp
verdict 'the axes of a box are as long as it is' $? "$(grep range h.svg.gp)"
grep -q "'problem smooth, 5x9x3 cells, size 1x3x1\.5'" h.svg.gp
verdict 'and its title says how it is cut' $? "$(grep problem h.svg.gp)"
height() {
    sed -n 's/^set terminal svg size [0-9]*,\([0-9]*\) .*/\1/p' "$1"
}
[ "$(height h.svg.gp)" -le $(($(height g.svg.gp) - 120)) ]
verdict 'and it is drawn half as high as a cube' $? "$(height h.svg.gp) $(height g.svg.gp)"
without_gnuplot refuses 4 "cannot draw 't.svg'" \
    --backend=cpu --N=7 --slice=z:0.5,t.svg --title="Plate's heat" --unit=K
grep -q "'Plate''s heat'" t.svg.gp && grep -q "'Solution u_h at z = 0.5, problem smooth, N = 7'" t.svg.gp &&
    grep -q "'solution u_h \[K\]'" t.svg.gp
verdict 'its title, what it is of below, and the unit' $? "$(grep 'set label' t.svg.gp)"
rm t.svg.gp
without_gnuplot refuses 4 "cannot draw 't.svg'" --backend=cpu --N=7 --slice=z:0.5,t.svg --slice=x:0.5,v.svg --title=Plate
grep -q "'Plate: Solution u_h at z = 0.5'" t.svg.gp && grep -q "'Plate: Solution u_h at x = 0.5'" v.svg.gp
verdict 'of several slices each title says which' $? "$(grep 'set label' t.svg.gp)"
rm t.svg.gp v.svg.gp
printf -- '--slice=x:0.5,flux,v.svg\n' >slices.txt
without_gnuplot refuses 4 "cannot draw 'v.svg'.*v\.svg\.gp.*; moreover, cannot draw 'w.svg'.*w\.svg\.gp" \
    @slices.txt --backend=cpu --N=7 --slice=z:0.5,w.svg
grep -q "'Flux .* at x = 0.5'" v.svg.gp && grep -q "'Solution u_h at z = 0.5'" w.svg.gp
verdict 'a script for each slice, of a file of options and of the command line' $?
rm v.svg.gp w.svg.gp
refuses 2 "'m.png' is not drawn; 'n.png' is not drawn" --backend=cpu --N=7 --max-iterations=1 --slice=x:0,m.png \
    --slice=z:0.5,n.png
refuses 2 "'n.png' is not drawn" --backend=cpu --N=7 --max-iterations=1 --slice=z:0.5,n.png
if command -v gnuplot >/dev/null; then
    accepts --backend=cpu --N=9 --deform=0.1 --slice=x:0.25,error,e.svg --json=e.json
    grep -q '^Pictures *e\.svg: error u_h - u at x = 0\.25, .* \.\.\. ' out
    verdict 'the text says so' $?
    same 'and the JSON' "$(value kind e.json)" slice
    grep -q '<svg' e.svg && grep -q 'data:image/png;base64' e.svg
    verdict 'e.svg holds its pixels itself' $?
    accepts --backend=cpu --N=9 --slice=y:1,u.png
    same 'u.png is PNG' "$(head -c 4 u.png | tail -c 3)" PNG
    accepts --backend=cpu --cells=5x9x3 --size=1x2x0.5 --slice=y:1.5,error,b.svg --json=b.json
    grep -q '^Pictures *b\.svg: error u_h - u at y = 1\.5, ' out
    verdict 'a position is a coordinate' $? "$(grep Pictures out)"
    same 'in the JSON, too' "$(value position b.json)" 1.5
    grep -q '<svg' b.svg
    verdict 'gnuplot draws a box' $?
    accepts --backend=cpu --N=9 --slice=z:0.5,b.svg --slice=z:0.5,flux,q.svg --slice=x:0,error,e.svg --json=many.json
    grep -A 2 '^Pictures *b\.svg: solution u_h at z = 0\.5, ' out | tr -d '\n' |
        grep -q ' q\.svg: flux .* at z = 0\.5, .* e\.svg: error u_h - u at x = 0, '
    verdict 'several slices are several pictures' $? "$(grep -A 2 Pictures out)"
    same 'in the JSON, too' "$(sed -n 's/^ *"file": "\(.*\)",$/\1/p' many.json | xargs)" 'b.svg q.svg e.svg'
    same 'each of its own field' "$(sed -n 's/^ *"field": "\(.*\)",$/\1/p' many.json | xargs)" 'solution flux error'
    grep -L '<svg' b.svg q.svg e.svg | grep -q .
    [ $? = 1 ]
    verdict 'and gnuplot draws them all' $?
    mv b.svg several.svg
    accepts --backend=cpu --N=9 --slice=z:0.5,b.svg
    cmp -s b.svg several.svg
    verdict 'one beside others is drawn as one alone' $?
    for lengths in 1x1x900000 1e-5x1x1 20x3x1; do
        accepts --backend=cpu --cells=4 --size=$lengths --slice=x:0,b.svg
    done
    same 'nothing else was left' "$(echo ./*.gp ./*.tmp*)" './g.svg.gp ./h.svg.gp ./*.tmp*'
else
    echo 'skipped: no gnuplot'
fi

echo "# Fields"
mkfifo pipe.vtu
exec 3<>pipe.vtu
refuses 4 'go(es)? back and forth' --N=7 --output=pipe.vtu
exec 3>&-
echo old >full.vtu
(ulimit -f 60; timeout 120 "$cgsolve" --backend=cpu --N=24 --output=full.vtu >out 2>err)
same 'a limit on the size of files' $? 4
grep -q "cannot write the solution.*full\.vtu': File too large.*ulimit -f" err
verdict 'and it is said' $? "$(head -n 1 err)"
same 'a file that does not fit leaves the old one' "$(cat full.vtu)" old
refuses 2 "'n.vtu' is not written" --backend=cpu --N=7 --max-iterations=1 --output=n.vtu
refuses 5 'memory' --backend=cpu --format=none --N=200 --memory-limit=100M --output=u.vtu
same 'nothing is left of them' "$(echo ./*.tmp* ./n.*)" './*.tmp* ./n.*'

solves cube.json --N=31 --output=cube.vtu
verdict 'the cube' $? "$(head -n 1 err)"
grep -q '^Pictures *cube\.vtu: solution, error, residual at 35 937 nodes, ' out
verdict 'the text says so' $?
[ $instrumented = yes ] || as_planned 'the cube' cube.json 3 3000000
solves box.json --cells=12x20x9 --size=1x2x0.5 --output=box.vti
verdict 'a box' $? "$(head -n 1 err)"
grep -q '^Pictures *box\.vti: solution, error, residual at 2 730 nodes, ' out
verdict 'the text says so' $? "$(grep Pictures out)"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
