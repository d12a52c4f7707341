#!/usr/bin/env bash
# tests/cli/option_file.sh: options from files, cgsolve @FILE, sentence by sentence as doc/options.md has them.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"

# words REPORT: arguments[] of a JSON report, with blanks between them.
words() {
    sed -n '/^ *"arguments": \[/,/\]/s/^ *"\(.*\)",\{0,1\}$/\1/p' "$1" | grep -v '^arguments' | xargs -d '\n'
}

# reads NAME EXPECTED ARGUMENT...: a plan whose arguments[] are as expected, but for --plan and --json.
reads() {
    local name=$1 expected=$2
    shift 2
    timeout 60 "$cgsolve" "$@" --plan --json=- >r.json 2>err
    same "$name" "$(words r.json)" "$expected --plan --json=-"
}

# file NAME LINE...
file() {
    printf '%s\n' "${@:2}" >"$1"
}

echo "# In the place of @FILE"
file wall.txt 'N=16' 'kappa=jump:1000' 'problem=octants'
reads 'alone' '--N=16 --kappa=jump:1000 --problem=octants' @wall.txt
reads 'behind a command' 'solve --N=16 --kappa=jump:1000 --problem=octants' solve @wall.txt
reads 'before a command' 'solve --N=16 --kappa=jump:1000 --problem=octants' @wall.txt solve
reads 'between options' '--tol=1e-8 --N=16 --kappa=jump:1000 --problem=octants --format=crs' --tol=1e-8 @wall.txt --format=crs
reads 'the later one counts: the command line' '--kappa=jump:1000 --problem=octants --N=8' @wall.txt --N=8
reads 'the later one counts: the file' '--N=16 --kappa=jump:1000 --problem=octants' --N=8 @wall.txt
reads 'the later one counts: a value apart' '--kappa=jump:1000 --problem=octants -N 8' @wall.txt -N 8
file other.txt 'N=12' 'tol=1e-9'
reads 'several files' '--kappa=jump:1000 --problem=octants --N=12 --tol=1e-9' @wall.txt @other.txt
reads 'a file twice' '--N=12 --tol=1e-9' @other.txt @other.txt
"$cgsolve" --N=4 --kappa=jump:1000 --problem=octants --backend=cpu --verbose >plain 2>err
accepts @wall.txt --N=4 --backend=cpu --verbose
same 'what it ran with is the same as without the file' "$(sed -n '/^Ran with/,$p' out)" "$(sed -n '/^Ran with/,$p' plain)"
accepts study @other.txt --N=3,5 --backend=cpu --json=s.json
same 'a study: its arguments' "$(words s.json)" 'study --tol=1e-9 --N=3,5 --backend=cpu --json=s.json'
refuses 1 "^cgsolve: other.txt:2: --tol belongs to 'cgsolve solve' and 'cgsolve study', not to 'cgsolve spmv'" spmv @other.txt
file json.txt 'json=d.json'
accepts doctor @json.txt
same 'a doctor: its arguments' "$(words d.json)" 'doctor --json=d.json'
solves a.json --N=3 && solves b.json --N=3
accepts compare a.json @json.txt b.json

echo "# Words that are no files"
cp b.json @b.json
accepts compare a.json ./@b.json
accepts compare -- a.json @b.json
mv @b.json @b.mtx
refuses 4 '^cgsolve: @b.mtx:1:' --matrix @b.mtx
refuses 4 '^cgsolve: @b.mtx:1:' --matrix=@b.mtx
refuses 1 "^cgsolve: '@' \(word 2\) names no file: expected @FILE" --N=4 @

echo "# Lines"
file lines.txt '' '# a comment' '   # another' '  --N=8  ' 'tol = 1e-7' "format	=	crs" '-v' 'precond jacobi' 'max-iterations=9 # few' \
    'rhs=random#1' 'chunk= 4' 'sigma =4   '
reads 'blanks, comments, dashes' \
    '--N=8 --tol=1e-7 --format=crs -v --precond=jacobi --max-iterations=9 --rhs=random#1 --chunk=4 --sigma=4' @lines.txt
file short.txt '-N 8' 'repeat=3'
reads 'a short name' '-N=8 --repeat=3' @short.txt
printf 'N=8\r\ntol=1e-7 \r\n\r\n# comment\r\nformat=crs' >dos.txt
reads 'lines of Windows, and a last one without its end' '--N=8 --tol=1e-7 --format=crs' @dos.txt
printf '\xef\xbb\xbfN=8\n' >bom.txt
reads 'the mark of UTF-8' '--N=8' @bom.txt
: >empty.txt
reads 'an empty file' '--N=8' @empty.txt --N=8
file 'a wall.txt' 'json=a report.json' 'N=4' 'backend=cpu'
accepts '@a wall.txt'
[ -s 'a report.json' ]
verdict 'blanks are part of a value, and of a name' $?
same 'and of its argument' "$(words 'a report.json')" '--json=a report.json --N=4 --backend=cpu'
mkdir -p deep/down
file deep/lower.txt 'json=lower.json' 'N=4' 'backend=cpu'
accepts @deep/lower.txt
[ -s lower.json ] && [ ! -e deep/lower.json ]
verdict 'files that options name are relative to the current folder' $?
reads 'a pipe' '--N=7' @<(echo N=7)

echo "# The command"
file study.txt '# a study' 'study' 'N=3,5' 'backend=cpu'
accepts @study.txt --json=s.json
same 'on the first line' "$(words s.json)" 'study --N=3,5 --backend=cpu --json=s.json'
accepts --tol=1e-8 @study.txt --json=s.json
same 'options before it' "$(words s.json)" 'study --tol=1e-8 --N=3,5 --backend=cpu --json=s.json'
reads 'the command line has another' 'solve --backend=cpu --N=3' solve @study.txt --N=3
file compare.txt compare
accepts @compare.txt a.json b.json
file late.txt 'N=3' 'study'
refuses 1 "^cgsolve: late.txt:2: 'study': a command stands on the first line of a file, and alone there" @late.txt
file both.txt 'study N=3'
refuses 1 "^cgsolve: both.txt:1: 'study N=3': a command stands on the first line" @both.txt
file wrong.txt 'stdy'
refuses 1 "^cgsolve: wrong.txt:1: unknown command 'stdy': .*did you mean 'study'" @wrong.txt
refuses 1 "^cgsolve: unknown command 'slove': .*did you mean 'solve'" @wall.txt slove
refuses 1 "^cgsolve: unexpected 'study': 'cgsolve solve' takes options only; a command stands once" --N=3 study @wall.txt

echo "# Files within files"
file deep/down/leaf.txt 'tol=1e-7'
file deep/mid.txt 'N=9' '@down/leaf.txt' 'format=crs'
file top.txt '@deep/mid.txt # both' 'N=10'
reads 'relative to the file' '--tol=1e-7 --format=crs --N=10' @top.txt
reads 'an absolute name' '--tol=1e-7 --format=crs --N=10' "@$PWD/top.txt"
file ring1.txt 'N=3' '@ring2.txt'
file ring2.txt '@ring1.txt'
refuses 4 "^cgsolve: ring1.txt:2: 'ring2.txt' would be read after 64 files: do they name each other in a circle" @ring2.txt
file self.txt '@self.txt' '@self.txt' '@self.txt'
refuses 4 '^cgsolve: self.txt:1: .*in a circle' @self.txt
file gone.txt 'N=3' '@deep/nothing.txt'
refuses 4 "^cgsolve: gone.txt:2: cannot read the options in 'deep/nothing.txt': No such file" @gone.txt
file at.txt '@'
refuses 1 "^cgsolve: at.txt:1: '@' names no file: expected @FILE" @at.txt

echo "# What is wrong"
refuses 4 "^cgsolve: cannot read the options in 'nothing.txt': No such file or directory" @nothing.txt
refuses 4 "^cgsolve: cannot read the options in 'deep': Is a directory" @deep
# fails PATTERN LINE...: a file of these lines is a usage error with that message behind its name.
fails() {
    file f.txt "${@:2}"
    refuses 1 "^cgsolve: f.txt:$1" @f.txt
}
fails "2: unknown option '--preconde'; did you mean '--precond" 'N=4' 'preconde=mg'
fails "1: unknown option '--formt'; did you mean '--format" '--formt=crs'
fails "3: unknown precond 'jacoby': .*did you mean 'jacobi'" '# of a wall' '' 'precond=jacoby'
fails '1: --N=0 is out of range' 'N=0' 'precond=jacoby'
fails '1: --N= is empty' 'N' 'format=crs'
fails '1: --json is empty' 'json ='
fails '1: --plan=yes takes no value' 'plan=yes'
fails "1: '=4' has no name" '=4'
fails "1: '--' has no name" '--' 'N=4'
fails "2: --N appears twice, '--N=4' \(f.txt:1\) and '--N=5' \(f.txt:2\): leave one" 'N=4' 'N=5'
fails "1: '--format=crs' stands within a value" 'N=4 --format=crs'
fails "1: .*leave out the quotes" 'json="a.json"'
fails "1: --resume belongs to" 'resume'
refuses 1 "--N appears twice, '--N=4' \(word 1\) and '--N=5' \(word 3\)" --N=4 @other.txt --N=5
printf 'N=4\nto\0l=1e-8\n' >nul.txt
refuses 4 '^cgsolve: nul.txt:2: byte 0x00 in column 3: a file of options is plain text' @nul.txt
for line in 'N=4\0' 'N=4 \0\0' 'N=4 # few\0' '\0' '\0N=4' 'N=4\0--tol=1' 'N=4\001' 'N=4\013' 'N=4\014' 'N=4\177'; do
    printf "%b\n" "tol=1e-8\n$line" >control.txt
    refuses 4 '^cgsolve: control.txt:2: byte 0x[017][0-9a-f] in column [0-9]+: ' @control.txt
    printf "%b" "tol=1e-8\n$line" >control.txt
    refuses 4 '^cgsolve: control.txt:2: byte 0x[017][0-9a-f] in column [0-9]+: ' @control.txt
done
head -c 5000 "$cgsolve" >program
refuses 4 '^cgsolve: program:1: byte 0x' @program
printf 'N=4\ntol=%040000d\n' 1 >long.txt
refuses 4 '^cgsolve: long.txt:2: a line of 40004 bytes: .*at most 32768' @long.txt
head -c 2000000 /dev/zero | tr '\0' '\n' >big.txt
refuses 4 "^cgsolve: 'big.txt' is longer than 1048576 bytes" @big.txt
refuses 4 "'/dev/zero' is longer" @/dev/zero
file kept.txt 'N=4'
refuses 1 "^cgsolve: --json would overwrite './kept.txt', from which options are read" @kept.txt --json=./kept.txt
refuses 1 "^cgsolve: unknown option '--plant'" @kept.txt --json=kept.txt --plant
same 'and it is what it was' "$(cat kept.txt)" 'N=4'
refuses 4 nothing @nothing.txt --json=failed.json
same 'the report of a failure is where the command line says' "$(value exit_status failed.json)" 4

echo "# Repeated without the file"
file again.txt 'N=5' 'problem=sine' 'precision=single' '@other.txt'
accepts @again.txt --backend=cpu --N=6 --json=first.json
mapfile -t arguments < <(words first.json | sed 's/first/second/' | tr ' ' '\n')
rm again.txt other.txt
accepts "${arguments[@]}"
same 'the same arguments' "$(words first.json)" "$(words second.json | sed 's/second/first/')"
same 'the same history' "$(sed -n '/"history"/,/\]/p' first.json)" "$(sed -n '/"history"/,/\]/p' second.json)"

echo "# Several ranks"
file ranks.txt 'N=9' 'backend=cpu' 'format=crs' 'json=ranks.json'
CGSOLVE_RANKS=2 timeout 60 "$cgsolve" @ranks.txt >out 2>err
verdict 'CGSOLVE_RANKS=2' $? "$(head -n 1 err)"
same 'its unknowns' "$(value unknowns ranks.json)" 729
same 'its arguments' "$(words ranks.json)" '--N=9 --backend=cpu --format=crs --json=ranks.json'
file unknown.txt 'nothing=1'
CGSOLVE_RANKS=2 refuses 1 "^cgsolve: unknown.txt:1: unknown option '--nothing'" @unknown.txt

echo "# Help"
accepts --help
grep -q '^ *cgsolve .*@FILE' out
verdict 'the help has it' $?
accepts --usage
grep -q '@FILE' out
verdict 'the usage has it' $?

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
