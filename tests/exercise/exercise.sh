#!/usr/bin/env bash
# tests/exercise/exercise.sh [cuda]: cgsolve exercise. Of each exercise the model solution is right, and the wrong ones and
# the cheats are found, for the reason in their second line; what one begins with is not right yet. Those that need a
# GPU with `cuda` alone (77, skipped, without a device). With COUNT set all wrong ones, with the battery.
set -u

# shellcheck source=tests/support/user_kernels.bash
. "$(dirname "$0")/../support/user_kernels.bash"
exercises=$sources/exercises
[ -z "${COUNT-}" ] || export CGSOLVE_TEST=part=0.02
mode=${1:-cpu}
export XDG_STATE_HOME=$work/state CGSOLVE="$cgsolve"
progress=$work/state/cgsolve/exercises.csv

folder=() # --exercises=DIR

# judged NAME FILE STATE STATUS [PATTERN]: by `check --untimed`; the reason matches.
judged() {
    "$cgsolve" exercise check "$2" --untimed --json=f.json "${folder[@]}" >out 2>err
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
        [[ -e "$file" && ( -n "${COUNT-}" || "$file" != *-[0-9].* ) ]] || continue
        judged "$1: $(basename "$file")" "$file" wrong 2 "$(sed -n '2s/^.*Expect: \(.*[^ ]\) *\*\/ *$/\1/p; 2s/^# Expect: //p' "$file")"
    done
    [ -n "${COUNT-}" ] || return 0
    for file in "$sources"/tests/exercise/slow/*."$2"; do # bench/causes says why they are slow
        ! grep -q "^/\* cgsolve exercise: $1 " "$file" || judged "$1: $(basename "$file")" "$file" right 0
    done
}

# Lines "NAME EXTENSION DEVICE" of all exercises.
listed=$(for folder in "$exercises"/*/; do
    echo "$(basename "$folder") $(sed -n 's/^file = //p' "$folder/exercise.ini") $(grep -q '^gpu = yes' "$folder/exercise.ini" && echo true || echo false)"
done)

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
[ "$(value code f.json)" = busy ] || tr -s ' \n' ' ' <out | grep 'likely cause: one thread does' >/dev/null
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

echo "# Exercises of a folder"
# own NAME: exercise.ini of own/NAME, from standard input.
own() {
    mkdir -p "own/$1" && cat >"own/$1/exercise.ini"
}
# said NAME PATTERN: what `exercise list --exercises=own` says is wrong.
said() {
    "$cgsolve" exercise list --exercises=own >out 2>err
    [ $? = 4 ] && grep -q -- "$2" err
    verdict "$1" $? "$(cat err)"
}
said 'a folder that is not there' "cannot read the folder of exercises 'own'"
mkdir own
said 'a folder without one' "'own' has no exercise: expected are folders NAME with a file NAME/exercise.ini"
own mine <<<$'title = Mine\nfile = c'
said 'no judge' "'own/mine/exercise.ini' lacks the line 'judge = ...'"
own mine <<<$'title = Mine\nfile = c\njudge = srot'
said 'a judge that is none' "judge is 'srot', should be one of product, .*, sort, .*, ./PROGRAM in its folder"
own mine <<<$'title = Mine\nfile = c\njudge = sort\n\nminuts = 4'
said 'a key that is none' "line 5: there is no key 'minuts'; did you mean 'minutes'"
own mine <<<$'title = Mine\nfile = c\njudge = sort\nhint.hnag = Once.'
said 'a code that is none' "line 4: no verdict has the code 'hnag'"
own mine <<<$'title = Mine\nfile = py\njudge = sort'
said 'a file that none takes' "file is 'py', should be one of c, cu, txt"
own mine <<<$'title = Mine\nfile = c\njudge = ./judge'
said 'a judge that is not there' "its judge 'own/mine/judge' can't be executed: No such file"
own 'no name' <<<$'title = Mine\nfile = c\njudge = sort'
rm -r own/mine
said 'a name that is none' "'own/no name': the name of an exercise begins with a letter"
mv 'own/no name' own/mine
own sort <<<$'title = Another\nfile = c\njudge = sort'
"$cgsolve" exercise list --exercises=own >out 2>err
same 'one more, and one instead of ours' "$(sed -n 's/^ *\([0-9]*\)  *\(sort\|mine\) */\1 \2 /p' out | paste -sd'|')" '5 sort Another (10 minutes)|13 mine Mine (10 minutes)'
"$cgsolve" exercise start mine --exercises=own >out 2>err
grep -q "mine lacks its file to begin with, 'own/mine/start.c'" err && [ ! -e mine.c ]
verdict 'start: a file that is missing' $? "$(cat err)"

# A judge in the folder: that of the example; then one that misbehaves.
if [ -d "$sources/examples/exercises" ]; then
    folder=(--exercises="$sources/examples/exercises")
    exercises=$sources/examples/exercises COUNT=1 tries compensated c
    coded nothing 'Not one of the small numbers'
    { cat "$sources/examples/exercises/compensated/start.c" && echo 'int x = ;'; } >mine.c
    judged 'a judge that compiles' mine.c broken 4 'does not compile: mine.c:[0-9]*:.*error'
    coded compile 'first line'
    "$cgsolve" grade "$sources/examples/exercises/compensated" "${folder[@]}" --csv=own.csv >out 2>err
    same 'graded' "$(cut -d, -f2-5,13 own.csv | tail -n +2 | tr -d '"' | paste -sd' ')" \
        'judge.sh,,broken,0, model.c,compensated,right,100,the model solution start.c,compensated,wrong,0, wrong.c,compensated,wrong,0,'
fi
# misjudged NAME STATE STATUS PATTERN: by own/mine/judge, from standard input.
misjudged() {
    { echo '#!/bin/sh' && cat; } >own/mine/judge
    chmod +x own/mine/judge
    "$cgsolve" exercise check mine.c --exercises=own --json=f.json >out 2>err
    [ $? = "$3" ] && [ "$(value state f.json)" = "$2" ] && value reason f.json | grep -q -- "$4"
    verdict "a judge that $1" $? "$(cat err) $(value reason f.json)"
}
own mine <<<$'title = Mine\nfile = c\njudge = ./judge 7 8\nhint.mine = Yours.'
echo '/* cgsolve exercise: mine */' >mine.c
misjudged 'is right' right 0 '' <<<'echo "state = right"'
misjudged 'gives points and a code' wrong 2 'It was given 7 8 mine.c' <<<'printf "state = wrong\npoints = 7\ncode = mine\nreason = It was given $*\n"'
same '... of the file' "$(value points f.json) $(value code f.json) $(value hint f.json)" '7 mine Yours.'
misjudged 'fails' unjudged 4 "the judge './judge' of the exercise mine ended its process by exit(3): alas" <<<'echo alas >&2; echo "state = right"; exit 3'
misjudged 'dies' unjudged 4 "was ended by SIGSEGV" <<<'kill -SEGV $$'
misjudged 'prints nonsense' unjudged 4 "has printed, line 2: expected is NAME = VALUE" <<<'printf "state = right\nhello\n"'
misjudged 'prints a key that is none' unjudged 4 "line 1: there is no key 'stat'; keys are state, points" <<<'echo "stat = right"'
misjudged 'prints nothing' unjudged 4 "has given no verdict: expected is a line 'state = right'" <<<''
misjudged 'gives 101 points' unjudged 4 "'points = 101', should be a whole number from 0 to 100" <<<'printf "state = right\npoints = 101\n"'
echo 'seconds = 1' >>own/mine/exercise.ini
misjudged 'hangs' wrong 2 'it took longer than 1 s, and was ended$' <<<'sleep 100'
same '... as the file' "$(value code f.json)" hang
CGSOLVE_TEST=starved=1,$CGSOLVE_TEST misjudged 'has no processor' unjudged 6 '1 s, and was ended: the machine was busy' <<<'sleep 100'
if ! "$cgsolve" spmv --backend=cpu --N=4 --repeat=1 --kernel=k/sell.c --json=f.json >out 2>err || [[ "$(value uncontained f.json)" == *Landlock* ]]; then
    echo "skipped: no Landlock here"
else
    misjudged 'reads the model solution' wrong 2 'denied' <<<"printf 'state = wrong\nreason = %s\n' \"\$(cat $work/own/mine/exercise.ini 2>&1)\""
fi
same 'progress: of what was timed alone' "$(cut -d, -f1,2 "$progress")" mine,100
folder=()

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
sort=$exercises/sort
"$cgsolve" exercise check "$sort/wrong.c" >out 2>err
same 'progress: a wrong one' "$(cut -d, -f1,2 "$progress" | paste -sd' ')" 'sort,0 mine,100'
"$cgsolve" exercise check --exercise=sort "$sort/model.c" >out 2>err
same 'progress: a right one' "$(cut -d, -f1,2 "$progress" | paste -sd' ')" 'sort,100 mine,100'
"$cgsolve" exercise check "$sort/wrong.c" >out 2>err
same 'progress: the best is kept' "$(cut -d, -f1,2 "$progress" | paste -sd' ')" 'sort,100 mine,100'
"$cgsolve" exercise progress >out 2>err
grep -q '^1 of 12 solved, 100 points' out
verdict 'progress: is shown' $? "$(tail -n 1 out)"
XDG_STATE_HOME=/dev/full "$cgsolve" exercise check "$sort/model.c" >out 2>err
same 'progress: that can not be kept is no failure' $? 0
grep -q 'progress is not kept' err
verdict 'progress: but said' $? "$(cat err)"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
