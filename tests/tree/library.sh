#!/usr/bin/env bash
# tests/tree/library.sh: doc/library.md shows the examples as they are; they build against the library of this
# build, where there is a compiler, and say what is known; solve_mpi by tests/library/library_mpi.sh. (make
# installcheck: against the installed one.)
set -u

# shellcheck source=tests/support/verdicts.bash
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdicts.bash"
if [ ! -f "$sources/doc/library.md" ]; then
    echo "skipped: no doc/library.md beside the tests"
    exit 77
fi

# block K: the K-th fence of C in the document.
block() {
    awk -v k="$1" '/^```c$/ { n++; on = n == k; next } /^```$/ { on = 0 } on' "$sources/doc/library.md"
}

number=0
for name in solve_crs solve_box solve_mpi; do
    number=$((number + 1))
    block $number | cmp -s - "$sources/examples/$name.c"
    verdict "doc/library.md shows examples/$name.c" $?
done

cc=$(sed -n 's/^CC = //p' "$build/Makefile" 2>/dev/null)
if [ -z "$cc" ] || [ ! -f "$build/libcgsolve.la" ] || ! command -v pkg-config >/dev/null; then
    echo "skipped: examples, no compiler or library here"
else
    instrument=$(sed -n 's/^CGS_INSTRUMENT = //p' "$build/Makefile")
    read -ra compile <<<"$cc $instrument"
    read -ra libraries < <(pkg-config --define-variable=libdir="$build/.libs" --cflags --libs "$build/cgsolve.pc")
    export LD_LIBRARY_PATH="$build/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    for name in solve_crs solve_box heat; do
        "${compile[@]}" -Wall -Wextra -Werror -I"$sources/include" -o $name "$sources/examples/$name.c" "${libraries[@]}" 2>err
        verdict "$name builds" $? "$(head -n 3 err)"
        ./$name 7 50 0.02 >$name.out 2>&1 # which heat alone reads: N, steps, dt
        verdict "$name runs" $? "$(cat $name.out)"
    done
    # The same with one column out of range: refused with its row, and nothing else is solved.
    sed 's/columns\[k\] = j;/columns[k] = i == 50 ? ROWS : j;/' "$sources/examples/solve_crs.c" >wrong.c
    "${compile[@]}" -I"$sources/include" -o wrong wrong.c "${libraries[@]}" 2>err && ./wrong >wrong.out 2>&1
    [ $? = 4 ] && grep -q '^row 50: columns\[149\] = 99 is out of range: expected 0 ... 98$' wrong.out
    verdict "solve_crs with a wrong column: status 4, the row named" $? "$(cat err wrong.out)"
    grep -q '^u(1/2) = 0.125000 ' solve_crs.out
    verdict "solve_crs: u(1/2) = 1/8" $? "$(cat solve_crs.out)"
    # 50 steps of 0.02 come to the solution without the reaction, as far as is shown.
    "$cgsolve" '--source=hypot(x-0.3,y-0.4) < 0.15 ? 100 : 0' --face={z0,z1}:flux --N=7 --tol=1e-12 --probe=0.5,0.5,0.5 --json=box.json >/dev/null
    grep -q "^t = 1 .*middle $(printf %.6f "$(value value box.json)")," heat.out && head -n 1 heat.pgm | grep -qa '^P5 7 7 255$' &&
        [ "$(wc -c <heat.pgm)" = $((11 + 49)) ]
    verdict "heat: what remains, and a picture" $? "$(cat heat.out) $(value value box.json)"
    "$cgsolve" --N=31 --format=none --precond=mg --tol=1e-8 --json=box.json >/dev/null
    grep -q "L2 error $(printf %.4e "$(value l2 box.json)")," solve_box.out
    verdict "solve_box: the program's L2 error" $? "$(cat solve_box.out)"
fi

# Which options repeat: the header and the pages name those of the table, in its order.
if [ -f "$sources/core/options/options.def" ]; then
    sed -n 's/^CGS_OPTION([A-Z]*, [A-Z]*, "\([^"]*\)", TEXTS,.*/\1/p' "$sources/core/options/options.def" |
        paste -sd, | sed 's/,/, /g' >expected
    for text in include/cgsolve/cgsolve.h doc/library.md doc/python.md; do
        sed -n 's/.*These options repeat: \([^.]*\)\..*/\1/p' "$sources/$text" | tr -d '"`' >said
        cmp -s expected said
        verdict "$text names the options that repeat" $? "expected: $(cat expected); found: $(cat said)"
    done
fi

# What libcgsolve is: core/ and below, without a symbol of the laboratories or of the program.
shared=$build/.libs/libcgsolve.so
if ! nm --defined-only "$shared" >defined 2>/dev/null || ! grep -q ' cgs_run_set_up$' defined; then
    echo "skipped: no libcgsolve.so with its symbols here"
else
    nm --undefined-only "$shared" | grep ' cgs_' >missing
    [ ! -s missing ]
    verdict "libcgsolve needs no function of lab/ or src/" $? "$(head -n 5 missing)"
    grep -E ' cgs_(grade|exercise|study|collection|compare|plot|figure|doctor|html)' defined >others
    [ ! -s others ]
    verdict "libcgsolve has no function of lab/ or src/" $? "$(head -n 5 others)"
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
