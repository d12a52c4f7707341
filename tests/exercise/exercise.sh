#!/usr/bin/env bash
# tests/exercise/exercise.sh [cuda]: cgsolve exercise. Of each exercise the model solution is right, and the wrong ones and
# the cheats are found, for the reason in their second line; what one begins with is not right yet. Those that need a
# GPU with `cuda` alone (77, skipped, without a device). With COUNT set all wrong ones, with the battery.
set -u

# shellcheck source=tests/support/own.bash
. "$(dirname "$0")/../support/own.bash"
exercises=$sources/exercises
[ -z "${COUNT-}" ] || export CGSOLVE_TEST=part=0.02
mode=${1:-cpu}
export XDG_STATE_HOME=$work/state CGSOLVE="$cgsolve"
progress=$work/state/cgsolve/exercises.csv

# judged NAME FILE STATE STATUS [PATTERN]: by `check --untimed`; the reason matches.
judged() {
    "$cgsolve" exercise check "$2" --untimed --json=f.json >out 2>err
    local status=$?
    [ $status = "$4" ] && [ "$(value state f.json)" = "$3" ] &&
        { [ -z "${5-}" ] || value reason f.json | grep -Eq -- "$5"; }
    verdict "$1: $3" $? "status $status, $(value state f.json): $(value reason f.json)"
}

# coded CODE PATTERN: of what was judged last; the hint matches.
coded() {
    [ "$(value code f.json)" = "$1" ] && value hint f.json | grep -q -- "$2"
    verdict "... $1" $? "$(value code f.json): $(value hint f.json)"
}

# model NAME EXTENSION: the path of the model solution, made where it is a script.
model() {
    if [ "$2" = txt ]; then
        bash "$exercises/$1/model.sh" >"$1.txt" 2>err && echo "$1.txt"
    else
        echo "$exercises/$1/model.$2"
    fi
}

# tries NAME EXTENSION: all files of an exercise.
tries() {
    local file
    judged "$1: the model solution" "$(model "$1" "$2")" right 0
    judged "$1: what one begins with" "$exercises/$1/start.$2" wrong 2
    same '... has no points' "$(value points f.json)" 0
    for file in "$exercises/$1"/{wrong,cheat}*."$2"; do
        [[ -n "${COUNT-}" || "$file" != *-[0-9].* ]] || continue
        judged "$1: $(basename "$file")" "$file" wrong 2 "$(sed -n '2s/^.*Expect: \(.*[^ ]\) *\*\/ *$/\1/p; 2s/^# Expect: //p' "$file")"
    done
    [ -n "${COUNT-}" ] || return 0
    for file in "$sources"/tests/exercise/slow/*."$2"; do # bench/causes says why they are slow
        ! grep -q "^/\* cgsolve exercise: $1 " "$file" || judged "$1: $(basename "$file")" "$file" right 0
    done
}

# Lines "NAME EXTENSION DEVICE" of all exercises.
listed=$(sed -n 's/^CGS_EXERCISE([a-z_]*, "\([a-z-]*\)", "[^"]*", "\([a-z]*\)", \([a-z]*\),.*/\1 \2 \3/p' "$exercises/exercises.def")

if [ "$mode" = cuda ]; then
    if ! "$cgsolve" --backend=cuda --N=2 >out 2>err; then
        echo "SKIP: $(head -n 1 err)"
        exit 77
    fi
    while read -r name extension device; do
        [ "$device" = false ] || tries "$name" "$extension"
    done <<<"$listed"
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
fi

echo "# Verdicts"
same 'exercises' "$(wc -l <<<"$listed")" 12
while read -r name extension device; do
    [ "$device" = true ] || tries "$name" "$extension"
done <<<"$listed"
if ! "$cgsolve" --backend=cuda --N=2 >out 2>err; then
    judged 'of a GPU, where there is none' "$exercises/warp-a-row/model.cu" unjudged 6 GPU
fi

echo "# What is no answer"
echo 'int x = 1;' >unmarked.c
judged 'without its mark' unmarked.c broken 4 'cgsolve exercise: NAME'
printf '/* cgsolve exercise: prodct */\n' >misspelt.c
judged 'of an exercise that is none' misspelt.c broken 4 "did you mean 'product'"
printf '/* cgsolve exercise: product */\nint x = ;\n' >syntax.c
judged 'that does not compile' syntax.c broken 4 'syntax.c:2:.*error'
coded compile 'first line'
"$cgsolve" exercise check syntax.c --untimed 2>err | grep -q '^ *2 | int x = ;$'
verdict "the compiler's lines are as it writes them" $?
judged 'that is not there' nowhere.c broken 4 "can't be read"
judged 'a folder' . broken 4 'no regular file'
printf '/* cgsolve exercise: sort */\n#include <cgsolve/exercise.h>\nstatic void sort(int64_t n, int64_t s, const int64_t *l, int64_t *o)\n{\n    extern int system(const char *);\n    o[0] = s < -n ? system("") + l[0] : *(volatile int *)8;\n}\nCGSOLVE_SORT(sort)\n' >crash.c
judged 'that crashes' crash.c wrong 2 'crash.c:6'
coded crash 'out of an array'
same '... and what it calls' "$(value calls f.json)" system
sed 's/o\[0\] = .*/for (;;);/' crash.c >hang.c
CGSOLVE_TEST=$CGSOLVE_TEST,seconds=1 judged 'that hangs' hang.c wrong 2 'took longer than 1 s'
coded hang 'does not end'
sed 's|beta = new / rr|beta = rr / new|' "$exercises/cg/model.c" >upside.c
CGSOLVE_TEST=$CGSOLVE_TEST,seconds=1 judged 'beta upside down' upside.c wrong 2 'took longer than 1 s'
coded hang 'is beta the new'
sed 's/y\[i\] = sum/y[i] = 2.0 * sum/' "$exercises/product/model.c" >scale.c
judged 'twice what it should be' scale.c wrong 2 'all 64000 rows are wrong: 2 times what they should be'
coded scale 'by one factor'
sed 's/y\[i\] = sum/y[i] += sum/' "$exercises/product/model.c" >nan.c
judged 'that adds to NaN' nan.c wrong 2 'is -?nan'
coded nan 'holds NaN at the start'
printf '# cgsolve exercise: rounding\nbest_N 31\n' >line.txt
judged 'a line that is none' line.txt broken 4 'line 2: expected is NAME = VALUE'
{ cat rounding.txt && seq -f 'a%g = 1' 28; } >many.txt
judged 'more answers than there are questions' many.txt broken 4 'line 34: there are 32 lines NAME = VALUE already'
{ printf '\xef\xbb\xbf' && sed 's/$/\r/' rounding.txt && echo && printf '# %02000d\n' 7; } >windows.txt
judged 'answers as Windows writes them, and a long comment' windows.txt right 0

echo "# What only looks right"
sed 's/= .*/= -1e5/' rounding.txt >negative.txt
judged 'negative numbers' negative.txt wrong 2 'order is -100000, should be .*; best_N is .*; best_error is .*; growth is .*; mixed_63 is'

# becomes EXERCISE MACRO PARAMETERS BODY: the model solution FUNCTION, behind another function, in file.c.
becomes() {
    sed "s/^$2(\(.*\))/static $3\n{\n    $4\n}\n$2(other)/" "$exercises/$1/model.c" >file.c
}
becomes fourth-order CGSOLVE_ELEMENT 'void other(double h, double stiffness[8][8], double mass[8][8])' \
    '\1(h, stiffness, mass); for (int a = 0; a < 64; a++) stiffness[a \/ 8][a % 8] *= h > 0.05 ? 0.1 : 1.5;'
judged 'errors that fall by much, and stay large' file.c wrong 2 'the error at the nodes is 0.333 for h = 1/32'
sed 's/failures < PATIENCE/failures < 1/' "$exercises/cg/model.c" | sed 's/rr < 0.5 \* best ? 0 : failures + 1/1/' >once.c
judged 'CG that never begins anew' once.c wrong 2 'it has to begin anew'
same '... has 60 points' "$(value points f.json)" 60
coded restart 'go on from'
becomes cg CGSOLVE_CG \
    'int64_t other(int64_t n, const int64_t *p, const int32_t *c, const double *v, const double *b, double tolerance, double *x, double *r)' \
    'if (tolerance > 1e-13) return \1(n, p, c, v, b, tolerance, x, r); for (int64_t i = 0; i < n; i++) x[i] = 0.0; *r = 1.0; return 0;'
judged 'no answer to what is hard, and honest' file.c wrong 2 '216 unknowns.*residual .* is 1 at the end'
same '... has some points' "$(value points f.json)" 60
becomes cg CGSOLVE_CG \
    'int64_t other(int64_t n, const int64_t *p, const int32_t *c, const double *v, const double *b, double tolerance, double *x, double *r)' \
    'int64_t k = \1(n, p, c, v, b, tolerance, x, r); for (int64_t i = 0; i < n; i++) if (b[i] != 0.0) return k; x[3] = 0.0 \/ 0.0; return k;'
judged 'no number where b is 0' file.c wrong 2 '64 unknowns, b = 0: should be x = 0 .*, but 1 numbers of x are not 0'
for pair in product:matrix-free:'it declines .* small matrices' matrix-free:product:'it multiplies any matrix'; do
    IFS=: read -r name other reason <<<"$pair"
    sed "1s/$other/$name/" "$exercises/$other/model.c" >file.c
    CGSOLVE_TEST=part=0.02 judged "$other, handed in as $name" file.c wrong 2 "$reason"
done
cp "$exercises/product/model.c" crs_row,a,b.c
judged 'a right one whose name has commas' crs_row,a,b.c right 0
same '... has all points, untimed' "$(value points f.json)" 100
same '... names the rival' "$(value rival f.json)" crs_row
same '... and the bounds' "$(value speed f.json)" 'not judged; full points from 55 % of crs_row, none up to 20 %'

sed '/^#pragma omp parallel/d' "$exercises/fuse/model.c" >alone.c
XDG_STATE_HOME=$work/other "$cgsolve" exercise check alone.c --json=f.json >out 2>err
same 'one pass on one thread' "$(value points f.json)" 60
[[ $(value code f.json) == @(undivided|busy) ]]
verdict '... does not share the work' $? "$(value code f.json): $(value reason f.json)"
[ "$(value code f.json)" = busy ] || grep -q 'likely cause: one thread does' out
verdict '... which is the likely cause' $? "$(cat out)"
[ "$(value code f.json)" = busy ] || same '... for programs, too' "$(value cause f.json)" one_thread

# Threads that share one processor, as on a busy machine, take turns: what the optimiser hides is found all the same.
if command -v taskset >/dev/null; then
    one=$(taskset -cp $$ | sed 's/^.*: *\([0-9]*\).*/\1/')
    CGSOLVE_TEST=part=0.02 taskset -c "$one" "$cgsolve" exercise check "$exercises/product/wrong-2.c" --untimed --json=f.json >out 2>err
    same 'a race on one processor' "$(value state f.json)" wrong
fi

echo "# For other judges"
page=$sources/doc/exercises.md
if [ -e "$page" ]; then # a bundle for another machine has no pages
    # shellcheck disable=SC2016 # a backquote of the page
    same 'codes of the page' "$(sed -n '/^| `code`/,/^$/s/^| `\([a-z_]*\)` .*/\1/p' "$page" | grep -vx 'code\|slow' | sort)" \
        "$(sed -n 's/^    {"\([a-z_]*\)",.*/\1/p' "$sources/lab/exercise/verdict.c" | sort -u)"
fi
if [ -e "$page" ] && command -v python3 >/dev/null; then
    mkdir cell && ln -s "$(realpath "$cgsolve")" cell/cgsolve
    cp "$exercises/product/wrong.c" product.c
    # shellcheck disable=SC2016
    sed -n '/^```python/,/^```/p' "$sources/doc/teaching.md" | grep -v '^```' >cell.py
    PATH=$work/cell:$PATH python3 cell.py >out 2>err
    same "a notebook's cell" "$(head -n 1 out)" 'wrong nan 0 of 100'
    rm product.c
fi

echo "# The command"
"$cgsolve" exercise list >out 2>err
same 'list: status' $? 0
same 'list: exercises' "$(grep -c '^ *[0-9]* *[a-z]' out)" 12
"$cgsolve" exercise start product >out 2>err
same 'start: status' $? 0
cmp -s product.c "$exercises/product/start.c"
verdict 'start: the file' $?
echo mine >product.c
"$cgsolve" exercise start 1 >out 2>err
same 'start: of one that is there' $? 4
same 'start: keeps it' "$(cat product.c)" mine
"$cgsolve" exercise start prodct >out 2>err
same 'start: of none' $? 1
grep -q "did you mean 'product'" err
verdict 'start: says the nearest' $? "$(cat err)"
for words in 'chek x' 'start' 'check' 'list x' 'check a b' 'time' 'time product.c --untimed'; do
    # shellcheck disable=SC2086 # words
    "$cgsolve" exercise $words >out 2>err
    same "'$words': status" $? 1
done
[ ! -e "$progress" ]
verdict 'progress: nothing of what was not timed' $?
sort=$exercises/sort
"$cgsolve" exercise check "$sort/wrong.c" >out 2>err
same 'progress: a wrong one' "$(cut -d, -f1,2 "$progress")" sort,0
"$cgsolve" exercise check --exercise=sort "$sort/model.c" >out 2>err
same 'progress: a right one' "$(cut -d, -f1,2 "$progress")" sort,100
"$cgsolve" exercise check "$sort/wrong.c" >out 2>err
same 'progress: the best is kept' "$(cut -d, -f1,2 "$progress")" sort,100
"$cgsolve" exercise progress >out 2>err
grep -q '^1 of 12 solved, 100 points' out
verdict 'progress: is shown' $? "$(tail -n 1 out)"
XDG_STATE_HOME=/dev/full "$cgsolve" exercise check "$sort/model.c" >out 2>err
same 'progress: that can not be kept is no failure' $? 0
grep -q 'progress is not kept' err
verdict 'progress: but said' $? "$(cat err)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
