#!/usr/bin/env bash
# tests/exercise/grade.sh: cgsolve grade on a small class: one row a file whatever is wrong with it, pages, results.json;
# what an interrupt and a time limit leave, and --resume makes of it; names that would be commands, tags and formulas.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/../cli/cli.bash"
sources=${CGS_SRCDIR:-$(realpath "$(dirname "$0")/../..")}
model=$sources/exercises/product/model.c
if [ ! -f "$model" ]; then
    echo "skipped: no exercises beside the tests"
    exit 77
fi
export TMPDIR=$work/tmp && mkdir tmp
export CGSOLVE_TEST=part=0.02,battery=0,seconds=2 OMP_WAIT_POLICY=passive NO_COLOR=1

# row STUDENT: its row of marks.csv.
row() {
    grep -F "\"$1\"," marks.csv
}
# has STUDENT PATTERN: that row matches.
has() {
    row "$1" | grep -Eq -- "$2"
    verdict "$1: $2" $? "$(row "$1" | cut -c1-160)"
}
# page STUDENT: the path of a page that begins with it.
page() {
    find pages -name "$1*.html" | head -n 1
}
rows() {
    [ "$(wc -l <marks.csv)" = $(($1 + 1)) ] && [ "$(grep -c '^student,file,exercise,state,points,possible,attained,reason,seconds,date,hash,calls,alike$' marks.csv)" = 1 ]
    verdict "$1 rows and a head" $? "$(wc -l <marks.csv)"
}

echo "# A class"
ada="class/Ada Lovelace_4711_assignsubmission_file"
mkdir -p "$ada" class/bob/src class/.git class/__MACOSX
cp "$model" "$ada/product.c"
cp "$sources/exercises/product/wrong.c" class/bob/src/product.cu~
cp "$sources/exercises/product/wrong.c" class/bob/src/mine.c
{ cat "$model"; echo 'this is no C;'; } >$'class/carl_\e.c'
sed 's/double sum = 0.0;/double sum = *(volatile double *)8; extern int fork(void); sum += sum > 1.0 ? fork() : 0;/' "$model" >class/dora_product.c
sed 's/double sum = 0.0;/double sum = 0.0; for (volatile int on = 1; on;);/' "$model" >class/emil.c
echo 'int main(void) { return 0; }' >class/fay.c
echo 'a text of no exercise' >class/.git/config
cp "$model" class/__MACOSX/product.c
ln -s /etc/passwd class/link.c
evil=$' =1+1,"<b>\e[1m&\n\xff' # a blank, a formula, a quote, a tag, a terminal's, bytes that are no text
echo '<script>alert("&")</script>' >"class/$evil.c"
: >class/archive.zip
accepts grade class/ --csv=marks.csv --pages=pages --gradescope=results.json
cp out text
rows 9
has 'Ada Lovelace' '"product","right",[0-9.]+,100,([0-9.]+,|,"speed not judged: the machine was busy)'
has bob '"bob/src/mine.c","product","wrong",'
has bob '"row [0-9]+ of [0-9]+|row [0-9]'
has carl '"product","broken",0,100,,".*error'
has dora '"product","wrong",'
has dora 'SIGSEGV'
has dora '"[0-9a-f]{16}","fork",$'
same 'the text says what it calls' "$(grep '^calls: ' text)" 'calls: dora_product.c: fork'
has emil '"product","wrong",'
has emil 'took longer than 2(\.[0-9]+)? s'
has fay ',,"broken",0,100,,".*exercise'
has link '"broken",0,100,,"It is a link'
has archive '"broken",0,100,,"It is not a \.c, \.cu or \.txt'
has "'=1+1,\"\"<b>?[1m& ?" '"broken"' # (a blank for the end of a line)
same 'seconds, date and hash of the model' "$(row 'Ada Lovelace' | grep -Ec ',[0-9.]+,"20[-0-9]*T[0-9:]*Z","[0-9a-f]{16}",,"the model solution"$')" 1
tail -n 1 text | grep -Eq '^9 files: 1 right, 3 wrong, 5 broken; mean of 9 judged: [0-9.]+ points(; without Landlock: .*)?$'
verdict 'the text ends with counts' $? "$(tail -n 1 text)"
grep -Eq '^Ada Lovelace +product +right +[0-9.]+' text
verdict 'the text has a line for a file' $? "$(head -n 2 text)"
[ "$(LC_ALL=C tr -d '\n\40-\176\200-\377' <text | wc -c)" = 0 ] && [ "$(LC_ALL=C tr -d '\n\40-\176\200-\377' <err | wc -c)" = 0 ]
verdict 'what is printed is plain' $?

echo "# Pages"
same 'a page a file, and the index' "$(find pages -type f | wc -l)" 10
while IFS= read -r file; do
    if command -v xmllint >/dev/null; then
        xmllint --noout "$file" 2>xml.err
    elif command -v python3 >/dev/null; then
        python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' "$file" 2>xml.err
    fi
    verdict "$file: well-formed" $? "$(head -n 1 xml.err)"
    ! grep -Eiq '<script|<link|<img|<b>|https?:|@import|src *=' "$file"
    verdict "$file: nothing of the file's is HTML" $?
done < <(find pages -name '*.html')
lost=
while IFS= read -r link; do
    [ -f "pages/$link" ] || lost="$lost $link"
done < <(grep -o 'href="[^"]*"' pages/index.html | cut -d'"' -f2)
[ -z "$lost" ] && [ "$(grep -c 'href=' pages/index.html)" = 9 ]
verdict 'the index leads to all' $? "$lost"
grep -q 'alert(&quot;&amp;&quot;)' pages/--1-1*.html
verdict 'the source is shown' $?
grep -q "^ .*error: " "$(page carl)" && ! grep -q 'compile:?' "$(page carl)"
verdict "the compiler's words are shown" $?
! grep -q "class/carl" "$(page carl)" && ! grep -q 'kernel=.*class/' "$(page Ada)"
verdict "folders of the teacher's are not" $?
grep -q 'class="verdict good"' "$(page Ada)" && grep -q 'full points from 55 % of crs_row' "$(page Ada)"
verdict 'the verdict is shown' $?

echo "# Gradescope"
valid_json results.json results.json
same 'a test for the exercise, the best of its files' "$(grep -c '"max_score": 100' results.json)" 1
grep -q 'the best of 5 files' results.json && grep -q '"status": "passed"' results.json && grep -q '"execution_time"' results.json
verdict 'its score, status and time' $?

echo "# Copies"
mkdir alike
printf '/* cgsolve exercise: sort */\nint x = ;\n' >alike/ben.c
cp alike/ben.c alike/anna.c
printf '/* cgsolve exercise: sort */\n// by Carl, "all" /* of\nint  x=;/*it*/\n' >alike/carl.c
printf '/* cgsolve exercise: sort */\nint y = ;\n' >alike/dora.c
cp alike/dora.c alike/dora_2.c # one's own
cp "$sources/exercises/sort/start.c" alike/emil.c
cp "$sources/exercises/sort/start.c" alike/fay.c
accepts grade alike --csv=alike.csv --pages=alike-pages --untimed
for expected in 'anna.c:the same file as ben.c' 'ben.c:the same file as anna.c' 'carl.c:the same tokens as anna.c and 1 more' dora.c:nobody dora_2.c:nobody emil.c:nobody fay.c:nobody; do
    same "${expected%%:*} is alike" "$(grep -F "\"${expected%%:*}\"," alike.csv | sed 's/,$/,nobody/; s/.*,//; s/"//g')" "${expected#*:}"
done
same 'the text names them' "$(grep -c '^alike: ' out)" 3
grep -q 'the same tokens as anna.c' alike-pages/index.html && ! grep -q 'the same' alike-pages/carl*.html
verdict "the teacher's page alone names them" $?
mkdir models
for file in "$sources"/exercises/*/model.c*; do
    cp "$file" "models/$(basename "$(dirname "$file")").${file##*.}"
done
mkdir bare # exercises as they are installed, without their models
(cd "$sources/exercises" && tar -cf - --exclude='model.*' .) | tar -xf - -C bare
"$cgsolve" grade models --exercises=bare --untimed --time-limit=1 >out 2>err # whose they are is known at once
same 'model solutions are known' "$(grep -c '^alike: .*: the model solution' out)" "$(find models -type f | wc -l)"
"$cgsolve" grade exercises/sort --untimed --time-limit=1 --csv=shipped.csv >out 2>err
same 'an exercise of ours, by its name' "$(cut -d, -f2 shipped.csv | tail -n +2 | tr -d '"' | paste -sd' ')" \
    'cheat-twice.c cheat.c model.c start.c wrong-2.c wrong.c'

echo "# A roster"
mkdir names && for name in Lea_Meyer_sort Lea_Maier "lea meyerhold" Someone_else; do cp alike/ben.c "names/$name.c"; done
printf '\xef\xbb\xbf"Lea Meyer",4711\r\nLea Maier\n\nLea\tnot given\nZoe; absent\n' >roster.txt
accepts grade names --csv=names.csv --untimed --roster=roster.txt
same 'a row for each name, none merged' "$(tail -n +2 names.csv | cut -d, -f1,2,4,5 | tr '\n' ' ')" \
    '"Lea Maier","Lea_Maier.c","broken",0 "Lea Meyer","Lea_Meyer_sort.c","broken",0 "Someone_else","Someone_else.c","broken",0 "Lea","lea meyerhold.c","broken",0 "Zoe",,"broken",0 '
grep -q '"Zoe",.*,"Nothing was handed in."' names.csv
verdict 'who handed in nothing is said' $?
accepts grade names --csv=names.csv --untimed --roster=roster.txt --resume --pages=names-pages
same 'and stays' "$(grep -c '"Zoe"' names.csv)" 1
echo 'Lea Maier' >>roster.txt
refuses 4 "line 6: there is a Lea Maier already" grade names --roster=roster.txt
refuses 4 "cannot read the roster 'nope'" grade names --roster=nope

echo "# Sums"
augusta="Augusta Ada Lovelace"
mkdir -p "sums/$augusta" sums/ben
cp "$sources/exercises/sort/model.c" "sums/$augusta/sort.c"
cp "$sources/exercises/sort/wrong.c" "sums/$augusta/sort-again.c"
cp "$sources/exercises/rounding/start.txt" "sums/$augusta/rounding.txt"
cp "$sources/exercises/sort/start.c" sums/ben/sort.c
accepts grade sums --untimed --pages=sums-pages
same 'a row a student, a column an exercise' "$(sed -n '/^student *sum/,/^$/p' out | tr -s ' ' | head -n -1 | paste -sd'|')" \
    "student sum sort rounding|$augusta 100 100 0|ben 0 0 -"
same 'and in the index' "$(grep -o '<th[^>]*>[a-z]*</th>' sums-pages/index.html | sed 's/<[^>]*>//g' | head -n 4 | paste -sd' ')" 'student sum sort rounding'
COLUMNS=40 "$cgsolve" grade sums --untimed >out 2>err
same 'the sum alone where columns are few' "$(sed -n '/^student *sum/,/^$/p' out | tr -s ' ' | head -n -1 | paste -sd'|')" "student sum|$augusta 100|ben 0"

echo "# Judges at a time"
at_once() { # ARGUMENT...: how many, with these variables, where none is asked for
    env "$@" "$cgsolve" grade slow --untimed 2>&1 | sed -n 's/^Whether .* right, //p'
}
mkdir slow && cp "$model" slow/b.c
if binds_threads; then
    same 'as many as without bound threads' "$(at_once OMP_PROC_BIND=true OMP_PLACES=threads)" "$(at_once OMP_PROC_BIND=false)"
fi

echo "# Going on"
refuses 1 'marks.csv.*--resume goes on' grade class --csv=marks.csv
refuses 1 '--resume needs --csv=FILE' grade class --resume
cp marks.csv before.csv
cp "$(page carl)" carl.html
rm "$(page dora)"
accepts grade class --csv=marks.csv --pages=pages --resume
grep -q '^7 of 9 files are judged already$' err && ! grep -q '^\[' err # the others are no submissions
verdict 'nothing is judged again' $? "$(head -n 2 err)"
same 'rows are as they were' "$(grep -v 'link\|archive' marks.csv)" "$(grep -v 'link\|archive' before.csv)"
cmp -s "$(page carl)" carl.html
verdict 'a page stays, with more than the table knows' $?
grep -q 'SIGSEGV' "$(page dora)"
verdict 'a page that is gone is made of the table' $?
echo '/* */' >>"$ada/product.c"
accepts grade class --csv=marks.csv --resume --untimed
grep -q '^\[1 of 1\] Ada' err
verdict 'a file that has changed is judged again' $? "$(head -n 3 err)"
has 'Ada Lovelace' '"right",100,100,,'
accepts grade class --csv=marks.csv --resume
has 'Ada Lovelace' '"right",[0-9.]+,100,([0-9.]+,|,"speed not judged: the machine was busy)'
mkdir other && cp "$model" other/x.c
refuses 1 "has no file of 'other'" grade other --csv=marks.csv --resume
for points in '"72,5"' '""' pass nan; do
    awk -F, -v OFS=, -v points="$points" '/Ada/ { sub(/"right",[0-9.]+,/, "\"right\"," points ",") } 1' marks.csv >changed.csv
    refuses 4 'no table of marks in row [23]: .* points as 72 or 72.5' grade class --csv=changed.csv --resume
done
sed 's/"right",[0-9.]*,/"right",72.5,/' marks.csv >changed.csv
accepts grade class --csv=changed.csv --resume
same 'points that were changed stay' "$(grep -c '"right",72.5,100,' changed.csv)" 1
echo 'a,b' >foreign.csv
refuses 4 'no table of marks' grade class --csv=foreign.csv --resume
same 'which stays' "$(cat foreign.csv)" 'a,b'

echo "# An archive"
tar -czf class.tar.gz -C class fay.c link.c bob
accepts grade class.tar.gz --csv=packed.csv --untimed
same 'a .tar.gz: rows' "$(cut -d, -f1-4 packed.csv | tail -n +2 | tr -d '"')" 'bob,bob/src/mine.c,product,wrong
fay,fay.c,,broken
link,link.c,,broken'
same '... of links, too' "$(grep -c '"It is a link, not a file."' packed.csv)" 1
accepts grade class.tar.gz --csv=packed.csv --untimed --resume
grep -q '^1 of 3 files are judged already' err || grep -q '^2 of 3 files are judged already' err
verdict '... and --resume' $? "$(head -n 2 err)"
if command -v python3 >/dev/null; then
    python3 - <<'END'
import zipfile
for name, members in {
    "moodle.zip": ["Zoë Ångström_17_assignsubmission_file_/product.c", "Ben_4_assignsubmission_file_/a/x.c"],
    "out.zip": ["ada/../../x.c"]}.items():
    with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as archive:
        for member in members:
            archive.writestr(member, "int x;" if member < "Z" else " " * (3 << 20))
END
    accepts grade moodle.zip --csv=moodle.csv
    same "Moodle's .zip: students" "$(cut -d, -f1 moodle.csv | tail -n +2 | tr '\n' ' ')" '"Ben" "Zoë Ångström" '
    same '... and a file that is too large' "$(grep -c 'larger than 1 MiB' moodle.csv)" 1
    refuses 4 "cannot unpack 'out.zip': a name leads out of its folder: ada/../../x.c" grade out.zip
fi
head -c 100 class.tar.gz >torn.tar.gz
refuses 4 'torn.tar.gz' grade torn.tar.gz
refuses 4 "'class/fay.c' is neither a folder of submissions nor a .zip or .tar" grade class/fay.c

echo "# Ended early"
cp class/emil.c slow/a.c
rm marks.csv
timeout 60 "$cgsolve" grade slow --csv=marks.csv --jobs=1 --time-limit=1 >out 2>err # a.c hangs for longer
same 'a time limit: exit status' $? 130
grep -q 'the time limit of 1 seconds is over' err
verdict 'a time limit is said' $? "$(tail -n 1 err)"
rows 2
has b '"unjudged",0,100,,"Not judged yet: the time limit was over'
accepts grade slow --csv=marks.csv --resume
has b '"right"'
has a '"wrong"'
rm marks.csv err
env --default-signal=INT "$cgsolve" grade slow --csv=marks.csv --jobs=1 >out 2>err &
process=$!
until grep -q '^Whether 2 are right' err 2>/dev/null || ! kill -0 $process; do sleep 0.02; done
kill -INT $process # a.c hangs still
wait $process
grep -q 'interrupted: 0 of 2 files are judged; the same command with --resume goes on' err
verdict 'an interrupt is said' $? "$(tail -n 1 err)"
rows 2
has b '"unjudged",0,100,,"Not judged yet: it was interrupted'
rm marks.csv
accepts grade slow --csv=marks.csv --file-limit=1 --jobs=2 --untimed
has a '"wrong",0,100'
same 'nothing is left behind' "$(find tmp -mindepth 1 | wc -l)" 0

echo "# Wrong use"
mkdir empty empty/.hidden
refuses 4 "'empty' has no file to grade" grade empty
refuses 4 "cannot read the folder 'nope'" grade nope
refuses 1 'takes the folder of the submissions' grade
refuses 1 'takes the folder of the submissions.*2 given' grade class slow
refuses 1 'is the folder of the submissions' grade slow --pages=slow
refuses 1 'name the same file' grade slow --csv=x.csv --gradescope=x.csv
refuses 4 'cannot write the table of marks' grade slow --csv=no/x.csv
refuses 1 '1 \.\.\. ' grade slow --jobs=0
refuses 1 "belongs to 'cgsolve grade', not to" spmv --pages=x

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
