#!/usr/bin/env bash
# tests/cli/terminal.sh: what names of files, a kernel's words and reports of others may do to the terminal that
# shows them: nothing. All that the program prints, and every text that it writes, holds no control character
# but ends of lines and tabs; emphasis is there on a terminal alone; a name has no line of its own.
#
# The program is $CGSOLVE (./cgsolve where that is not set), on the CPU. Nothing is written but in a
# folder of its own under $TMPDIR.
set -u
# shellcheck source=tests/support/verdicts.bash
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdicts.bash"
odd_processor

# ESC ] 0 ; ... BEL is a terminal's title; DEL; C1 as UTF-8 (U+009B) and as a byte; U+202E turns the
# direction; then a line that would be the program's own, and its own emphasis; bytes that are no UTF-8.
utf8=$'a\e]0;title\a\x7f\xc2\x9b\xe2\x80\xae\r\nSolver     forged\e[1m\e[2J\tz'
evil=$utf8$'\x9b\xff'
good=$'M\xc3\xbcller_\xe2\x82\xac' # "Mueller" with its umlaut, and the sign of the euro: as they are
odd="$evil$good"
# The same without what no report holds, as JSON.
written='a\u001b]0;title\u0007\u007f\u009b\u202e\u000d\u000aSolver     forged\u001b[1m\u001b[2J\u0009z'

# Bytes of file $1 that are control characters: ASCII's, DEL, C1 and U+202E in UTF-8, and what is no UTF-8.
controls() {
    LC_ALL=C tr -d '\n\t\40-\176\200-\377' <"$1" | wc -c
    LC_ALL=C grep -c -a -P '\xc2[\x80-\x9f]|\xe2\x80\xae' "$1"
    iconv -f UTF-8 -t UTF-8 "$1" >plain.txt 2>/dev/null && echo 0
}

# plain NAME FILE...: none is there, and no line begins with the name's second one.
plain() {
    local name=$1 file
    shift
    for file; do
        [ "$(controls "$file" | tr -d '\n')" = 000 ] && ! grep -q '^Solver     forged' "$file"
        verdict "$name: ${file##*/} is plain" $? "$(grep -a -n -m 1 'forged\|title' "$file" | cat -v)"
    done
}

# shows NAME STATUS ARGUMENT...: called as $called, its standard output and error are plain, and one of them has the name.
shows() {
    local name=$1 status=$2
    shift 2
    timeout 120 bash -c 'exec -a "$@"' run "${called:-cgsolve}" "$cgsolve" "$@" >out 2>err
    same "$name: exit status" $? "$status"
    plain "$name" out err
    grep -q 'title' out err
    verdict "$name: says the name" $? "$(head -n 1 err)"
}

# ---- names ----
cp "$sources/tests/systems/nos4.mtx" "$odd.mtx"
cpu=(--backend=cpu --threads=1)
# An inner line's names are ours: all commands are shown the same file.
shows solve 0 "${cpu[@]}" --matrix="$odd.mtx" --profile --verbose --output="out$odd.mtx" --json=s.json --history=h.csv
plain 'solve: reports' s.json h.csv
grep -q "$good" out
verdict 'letters that are none of ASCII stay' $? "$(grep -a title out | cat -v)"
called="./$odd run" shows 'solve, proposals' 0 "${cpu[@]}" --matrix="$odd.mtx"
shows plan 0 "${cpu[@]}" --matrix="$odd.mtx" --plan
shows spmv 0 spmv "${cpu[@]}" --matrix="$odd.mtx" --repeat=2 --kernel=crs_row,sell_chunk --verbose --json=l.json \
    --csv=l.csv
plain 'spmv: reports' l.json l.csv
shows spgemm 0 spgemm "${cpu[@]}" --matrix="$odd.mtx" --repeat=1 --verbose --output="p$odd.mtx" --json=g.json --csv=g.csv
plain 'spgemm: reports' g.json g.csv
shows 'spgemm, plan' 0 spgemm "${cpu[@]}" --matrix="$odd.mtx" --plan
cp "$odd.mtx" "b$odd.mtx"
shows study 0 study "${cpu[@]}" --matrix="$odd.mtx,b$odd.mtx" --report="r$odd" --csv=y.csv --json=y.json
plain 'study: reports' y.csv y.json "r$odd/report.html" "r$odd/study.json"
cp "$odd.mtx" "$utf8.mtx"
cp "$odd.mtx" "b$utf8.mtx"
shows 'study, whose reports have its names' 0 study "${cpu[@]}" --matrix="$utf8.mtx,b$utf8.mtx" --report="R$odd"
shows 'study, drawn' 0 study "${cpu[@]}" --matrix="$utf8.mtx,b$utf8.mtx" --report="R$odd" --draw
plain 'study, drawn' "R$odd/report.html" "R$odd/study.json"
cp s.json "$odd.json"
shows compare 0 compare "$odd.json" s.json --json=c.json
plain 'compare: report' c.json
shows 'no such file' 4 "${cpu[@]}" --matrix="no$odd"
shows 'no such kernel' 1 --kernel="no$odd"
shows 'no such option' 1 "--no$odd"
shows 'no such folder' 4 --N=3 --json="no/$odd.json"
"$cgsolve" "${cpu[@]}" --matrix="$odd.mtx" --json=- >j.json
plain 'json=-' j.json
valid_json 'json=-' j.json
if command -v python3 >/dev/null; then
    cp "$sources/tests/systems/nos4.mtx" $'d\x7f\xc2\x9bd.mtx'
    "$cgsolve" "${cpu[@]}" --matrix=$'d\x7f\xc2\x9bd.mtx' --json=d.json >/dev/null
    python3 -c 'import json; assert json.load(open("d.json"))["problem"]["file"] == "d\x7f\x9bd.mtx"'
    verdict 'JSON: what is escaped reads back as it was' $?
fi
mkdir "t$odd"
TMPDIR="$work/t$odd" OMP_PROC_BIND="$evil" "$cgsolve" doctor >out 2>err
plain doctor out
# From gcc 13 on libgomp repeats the value, raw, before main: of a value without ends of lines, a line each.
TMPDIR="$work/t$odd" OMP_PROC_BIND="${evil//[$'\r\n']/ }" "$cgsolve" doctor >out 2>err
plain doctor out
sed -i '/^libgomp: Invalid value for environment variable/d' err
! without_libomp 'warnings that repeat a variable' || plain 'doctor, standard error' err

# ---- a member of an archive ----
mkdir "$odd" && cp "$sources/tests/systems/nos4.mtx" "$odd/$odd.mtx"
tar --format=ustar -cf member.tar "$odd"
shows 'member of an archive' 0 "${cpu[@]}" --matrix=member.tar
shows 'member, spmv' 0 spmv "${cpu[@]}" --matrix=member.tar --repeat=1 --kernel=crs_row

# ---- a kernel's words, and its name ----
cat >refuses.c <<'KERNEL'
#include <cgsolve/kernel.h>
#include <stdio.h>
#include <stdlib.h>
static int prepare(const struct cgsolve_matrix *A, void **self)
{
    *self = NULL;
    if (getenv("TAKES"))
        return 0;
    snprintf(A->why, A->why_room, "title\033]0;title\a\x7f\xc2\x9b\nSolver     forged\033[1m");
    return 1;
}
static int apply(void *self, const struct cgsolve_matrix *A, const void *x, void *y, void *stream)
{
    (void)self, (void)stream;
    for (int64_t i = 0; i < A->rows; i++) {
        ((double *)y)[i] = 0;
        for (int64_t k = A->pointers[i]; k < A->pointers[i + 1]; k++)
            ((double *)y)[i] += ((const double *)A->values)[k] * ((const double *)x)[A->column[k]];
    }
    return 0;
}
const struct cgsolve_kernel cgsolve_kernel = {
    CGSOLVE_KERNEL_ABI, CGSOLVE_CRS, CGSOLVE_CPU, CGSOLVE_DOUBLE, 0, "title\033[1m\nSolver     forged",
    "title\033[2J\nSolver     forged\x9b", prepare, apply, NULL};
KERNEL
if cc -shared -fPIC -I"$sources/include" -o "k$odd.so" refuses.c 2>err &&
    ! "$cgsolve" --version | grep -q -- -fsanitize; then
    shows 'kernel that refuses' 2 "${cpu[@]}" --N=4 --kernel="./k$odd.so"
    shows 'kernel that refuses, spmv' 2 spmv "${cpu[@]}" --N=4 --repeat=1 --kernel="crs_row,./k$odd.so"
    TAKES=1 shows 'kernel that computes' 0 "${cpu[@]}" --N=4 --kernel="./k$odd.so"
    TAKES=1 shows 'kernel that computes, spmv' 0 spmv "${cpu[@]}" --N=4 --repeat=1 --kernel="crs_row,./k$odd.so" \
        --csv=k.csv
    plain 'kernel: table' k.csv
    echo 'this is no C' >"k$odd.c"
    shows 'kernel that does not compile' 4 "${cpu[@]}" --N=4 --kernel="./k$odd.c"
fi

# ---- reports of others ----
"$cgsolve" study "${cpu[@]}" --N=3,7 --report=theirs >out 2>err
for file in theirs/points/*.json theirs/study.json; do
    sed -i 's/^\( *"\(version\|commit\|date\|cpu\|status\|name\)": "\)\([^"\]\|\\.\)*/\1'"${written//\\/\\\\}/" "$file"
done
shows 'study --draw of another' 0 study "${cpu[@]}" --N=3,7 --report=theirs --draw
plain 'study --draw of another: page' theirs/report.html theirs/study.json
cp theirs/points/*.json .
shows 'compare of others' 0 compare N3.json N7.json --json=c2.json
plain 'compare of others: report' c2.json
sed 's/^\( *"name": "\)[^"]*/\1'"${written//\\/\\\\}/" l.json >l2.json
shows 'compare of tables' 0 compare l.json l2.json

# ---- a terminal ----
if script -qec true /dev/null >/dev/null 2>&1; then
    # shellcheck disable=SC2016 # for the shell within
    cgsolve=$cgsolve odd=$odd TERM=xterm NO_COLOR='' script -qec \
        'exec "$cgsolve" --backend=cpu --threads=1 --verbose --matrix="$odd.mtx"' /dev/null </dev/null >typed
    bold=$(grep -a -c $'^\e\\[1mSolver *\e\\[0m' typed)
    same 'a terminal: emphasis' "$bold" 1
    # Nothing is left once the program's own sequences are taken away.
    sed 's/\x1b\[[01]m//g; s/\r*\x1b\[?7l//g; s/\x1b\[K\x1b\[?7h//g; s/\r*\x1b\[K//g; s/\r*$//' typed >rest
    plain 'a terminal' rest
    grep -q 'forged?\[1m' typed
    verdict 'a terminal: the name has no emphasis' $?
    # shellcheck disable=SC2016
    cgsolve=$cgsolve TERM=xterm NO_COLOR=1 script -qec 'exec "$cgsolve" --backend=cpu --N=3' /dev/null </dev/null >typed
    same 'a terminal with NO_COLOR: no emphasis' "$(grep -a -c $'\e' typed)" 0
fi

echo "$passed passed, $failed failed"
[ $failed = 0 ]
