#!/usr/bin/env bash
# tests/cli/cli.sh: the program as people and scripts meet it: messages, files, texts. What is refused is in
# refused.rows (rows.sh), memory and --plan in cli_memory.sh, reports in cli_report.sh, how runs end and what they find in cli_solve.sh.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"

echo "# Wrong options"
for comma in --tol=0,5 --tol=1,5e-3 --deform=-0,1 --strength=0,02 --kappa=jump:0,5 --memory-limit=1,5G \
    --slice=z:0,5,error,u.png; do
    refuses 1 "; decimals have a point: write ${comma/,/.}\$" "$comma"
done
refuses 1 '--json appears twice' --json=refused.json --json=
valid_json 'the report of that is the first' refused.json
refuses 1 'same file' --json=x --history=x
refuses 1 'same file' --json=x --history=./x
echo '{}' >there.json && ln -s there.json link.json
refuses 1 'same file' --json=there.json --history=link.json
refuses 2 'singular in single precision.*take --precond=jacobi, or mg, or take --precision=double' \
    --backend=cpu --N=13 --precision=single --kappa=jump:1e7
refuses 2 'limit of 1 iteration was .*; --precond=mg takes fewer' --backend=cpu --N=9 --max-iterations=1

echo "# CUDA where it is not to be had"
if [ $device = no ]; then
    refuses 6 'CUDA|NVIDIA' --backend=cuda --N=7
    refuses 6 'CUDA|NVIDIA' --device=0 --N=7
    "$cgsolve" --N=7 --backend=auto --json=auto.json >out 2>err
    same '--backend=auto takes the CPU' "$(value backend auto.json)" cpu
    tr -s '\n ' ' ' <out | grep -q 'using the CPU'
    verdict 'and says why' $?
else
    echo "skipped: this machine has a CUDA device"
fi

echo "# Output"
refuses 4 "cannot write the JSON report '/nonexistent/x.json'.*folder" --json=/nonexistent/x.json
refuses 4 'cannot write the history .*directory' --history="$work" --N=1290
if [ -w /dev/full ]; then
    refuses 4 "cannot write the history '/dev/full'.*space" --backend=cpu --N=7 --history=/dev/full
    "$cgsolve" --backend=cpu --N=7 >/dev/full 2>err
    same 'standard output full: status 4' $? 4
fi
mkdir keep && echo old >keep/j.json && chmod 600 keep/j.json
refuses 5 'memory' --backend=cpu --N=1290 --json=keep/j.json --history=keep/h.csv
same 'a failed run leaves no temporary and no history' "$(ls keep)" j.json
valid_json 'the report of a failure' keep/j.json
same 'its exit status' "$(value exit_status keep/j.json)" 5
[ -n "$(value error_message keep/j.json)" ]
verdict 'its error message' $?
same 'a report keeps the permissions of the file that it replaces' "$(stat -c %a keep/j.json)" 600
if [ "$(id -u)" != 0 ]; then # root may write to any file
    echo old >mine.json && chmod 400 mine.json
    refuses 4 'you may not write to that file' --backend=cpu --N=7 --json=mine.json
fi
"$cgsolve" --N=0 --json=- >usage.json 2>/dev/null
valid_json 'a usage error with --json=-' usage.json
same 'its exit status' "$(value exit_status usage.json)" 1

echo "# Texts"
for columns in 45 50 64; do # 45: the longest word and its indent
    for words in '--help' 'help expert' 'help exercise' 'exercise list'; do
        # shellcheck disable=SC2086 # words
        COLUMNS=$columns accepts $words
        same "no line of $words is wider than $columns" "$(awk -v most=$columns 'length > most && !/^(Those .* )?\//' out | head -n 1 | wc -l)" 0
    done
done
# whole FROM TO CELLS: between these lines of `out` each one ends with such cells: no row of a table is broken.
whole() {
    sed -n "/$1/,/$2/p" out | sed '$d' >rows
    [ "$(wc -l <rows)" -ge 3 ] && ! grep -Evq "$3\$" rows
    verdict "$columns columns: rows of $1 are whole" $? "$(grep -Ev "$3\$" rows | head -n 1)"
}
printf '%s\n' cells=9 source=1 material=a:kappa=3 'region=a:x<0.5' precond=mg >narrow.txt
for columns in 50 64 80; do
    COLUMNS=$columns accepts --backend=cpu --N=15 --precond=mg --profile --verbose --json=narrow.json
    whole '^Profile' '^ *rest:' '(seconds +%.*|[0-9.]+ +[0-9.]+( +[0-9.]+( +[0-9.]+ % of [a-z]+ [0-9.]+)?)?)'
    whole '^Cycle' '^ *timed' '(seconds +%.*|[0-9.]+ +[0-9.]+( +[0-9.]+)?)'
    whole '^ *grid  *unknowns' '^ *all grids' '( unknowns.*| [0-9.]+ .*)'
    same "no line of a report is wider than $columns" "$(awk -v most=$columns 'length > most' out | wc -l)" 0
    COLUMNS=$columns accepts @narrow.txt --backend=cpu
    whole '^Materials' '^Matrix' '(share.*| % *[0-9 ]*)'
    COLUMNS=$columns accepts --backend=cpu --N=25 --precond=amg --json=amg.json --verbose
    whole '^ *grid  *unknowns' '^ *the coarsest' '( unknowns.*|^ +[01] .*)'
    COLUMNS=$columns accepts compare narrow.json amg.json
    ! grep -q 'operator_complexity[0-9]' out && ! grep -Eq '^ {13,}(slower|faster|more|less)$' out
    verdict "$columns columns: compare's names and values are apart" $? "$(grep operator_complexity out)"
    same "no line of compare is wider than $columns" "$(awk -v most=$columns 'length > most' out | wc -l)" 0
done
COLUMNS=50 accepts --usage
same 'no line of --usage begins beyond the middle' "$(grep -c '^ \{26\}' out)" 0
accepts --help
same 'no line of --help is wider than 100' "$(awk 'length > 100' out | wc -l)" 0
for option in N problem quadrature deform kappa format precision backend kernel threads device precond tol \
    max-iterations json history verbose plan help usage version; do
    grep -q -- "^  --$option\b" out || verdict "--help lists --$option" 1
done
grep -q '^spmv$' out && grep -A 1 '^spgemm$' out | grep -q '^  --matrix-b=' && ! grep -q -e '--cold' -e '--sigma=' out
verdict "--help: by command, without the experts' options" $? "$(grep -e --cold -e --sigma= out)"
accepts help expert
for option in chunk sigma launch memory-limit check-every cold; do
    grep -q -- "^  --$option\b" out || verdict "help expert lists --$option" 1
done
! grep -q '^  --N=' out && grep -A 9 '^spmv$' out | tr -s ' \n' ' ' | grep -q 'and of those above: --chunk, --sigma'
verdict "help expert: these alone, by command" $? "$(head -n 1 out)"
sed -n 's/^  \(--[a-z-]*\).*/\1/p' out >experts
accepts help spmv
grep -q '^  --repeat' out && ! grep -q -e '--precond' -e '^  cgsolve --' -e '^  --cold' out &&
    tr -s ' \n' ' ' <out | grep -q "For experts ('cgsolve help expert'): --chunk, .*--cold"
verdict "help spmv: that command's options, and the names of the experts'" $?
echo "# Short names"
for short in '-N 5' -N5 -N=5 'spmv --repeat=2 -N 5' 'spgemm --repeat=2 -N5'; do
    # shellcheck disable=SC2086
    accepts $short --backend=cpu --json=short.json
    grep -Eq '^ *"(unknowns|rows)": 125,' short.json
    verdict "$short: unknowns" $?
done
accepts -N 5 --backend=cpu --json -
valid_json '--json -: the report' out
accepts --N=5 --deform -0.1 --backend=cpu
accepts study -N 3,5 --backend=cpu --csv=short.csv
same 'study -N 3,5: points' "$(wc -l <short.csv)" 3
accepts -v -N 5 --backend=cpu
grep -q '^iteration ' err
verdict '-v shows the residual' $?
"$cgsolve" --version >long && "$cgsolve" -V | cmp -s - long
verdict '-V is --version' $?
for command in '' solve study spmv spgemm compare grade list doctor help; do
    # shellcheck disable=SC2086
    accepts $command -h
    [ "$(wc -l <out)" -le 24 ] && ! grep -q '.\{81\}' out && grep -q -e '--help' out
    verdict "$command -h: a screen" $? "$(wc -l <out) lines"
    ! grep -qwF -f experts out
    verdict "$command -h: no expert's option" $? "$(grep -wF -f experts out)"
done
accepts help
grep -q '^  --N=N, -N N ' out && grep -q '^  --verbose, -v ' out
verdict 'help has the short names' $?

echo "# More threads than processors"
processors=$("$cgsolve" doctor | sed -n 's/.*this process may run on \([0-9]*\) of them.*/\1/p')
for command in '' 'spmv --repeat=2' 'spgemm --repeat=2'; do
    # shellcheck disable=SC2086
    accepts $command -N5 --backend=cpu --threads=$((processors + 1))
    tr -s '\n ' ' ' <out |
        grep -Eq " $((processors + 1)) threads take turns on $processors processors?, .*: --threads=$processors "
    verdict "$command: a note" $? "$(sed -n 2,4p out)"
done
accepts -N5 --backend=cpu --threads=1
! grep -q 'take turns' out
verdict 'one thread: none' $?

accepts --usage
accepts --cite
[ "$(head -n 1 out)" = '@misc{cgsolve,' ] && [ "$(tail -n 1 out)" = '}' ] &&
    [ "$(tr -cd '{' <out | wc -c)" = "$(tr -cd '}' <out | wc -c)" ] && grep -Eq '^  note   = \{Version .*, commit ' out
verdict '--cite is an entry for BibTeX' $? "$(head -n 1 out)"
accepts study --cite
accepts --version
grep -q '^compiler  ' out && grep -q '^commit  ' out
verdict '--version names compiler and commit' $?
accepts list
for word in crs_row crs_merge crs_gather crs_librsb sell_chunk sell_gather sellc_chunk crs_warp crs_cusparse jacobi smooth random cpu cuda; do
    grep -Eq "^  $word " out || verdict "list names $word" 1
done
accepts list problems backends
grep -q '^Problems' out && ! grep -q '^Kernels' out
verdict 'list problems backends lists these' $?

echo "$passed passed, $failed failed"
[ $failed = 0 ]
