#!/usr/bin/env bash
# tests/tree/manual.sh: cgsolve(1) and the completion of bash, which derive from the program's tables.
set -u

# shellcheck source=tests/support/verdicts.bash
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdicts.bash"
manual=$build/doc/cgsolve.1
completion=$build/doc/completions/cgsolve
if [ ! -f "$manual" ]; then
    echo "skipped: a build for another machine has no manual page"
    exit 77
fi

echo "# The manual page"
if command -v man >/dev/null && man --warnings -E UTF-8 -l "$manual" >page 2>warnings && [ -s page ]; then
    [ ! -s warnings ]
    verdict "man --warnings is silent" $? "$(head -n 1 warnings)"
    same "no line of the page is wider than 80" "$(MANWIDTH=80 man -E ascii -l "$manual" | awk 'length > 80' | wc -l)" 0
else
    echo "skipped: man --warnings (no man that does)"
fi
if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$manual" >warnings
    verdict "mandoc finds nothing" $? "$(head -n 1 warnings)"
fi
sed 's/\\f[BIR]//g; s/\\-/-/g; s/\\(ha/^/g; s/\\(aq/'"'"'/g' "$manual" >plain
"$cgsolve" help >help.txt
"$cgsolve" help expert >expert.txt
options=$(sed -n 's/^  \(--[A-Za-z-]*\).*/\1/p' help.txt expert.txt)
for option in $options; do
    grep -A 1 '^\.TP' plain | grep -q -- "^$option\([=,]\|$\)" || verdict "the page has $option" 1
done
[ "$(wc -w <<<"$options")" -ge 40 ] && [ -z "$(sort <<<"$options" | uniq -d)" ]
verdict "the page has every option of the help, which has each once" $? "$(sort <<<"$options" | uniq -d | xargs)"
same "the page has the experts' options behind the others" "$(sed '1,/^\.SH EXPERT OPTIONS/d; /^\.SH /,$d' plain | sed -n 's/^\(--[a-z-]*\).*/\1/p' | xargs)" \
    "$(sed -n 's/^  \(--[A-Za-z-]*\).*/\1/p' expert.txt | xargs)"
grep -q '^\.SS solve: Solver$' plain && grep -q '^\.SS spmv$' plain
verdict "the page has options by command" $? "$(grep '^\.SS' plain | xargs)"
grep -q '^--N=N, -N N$' plain && grep -q '^--help, -h$' plain
verdict "the page has short names" $?
grep -q '^@FILE, anywhere among the arguments' plain
verdict "the page has @FILE" $?
for command in solve study spmv spgemm compare grade list doctor help; do
    grep -q "^cgsolve $command\b" plain
    verdict "the page has cgsolve $command" $?
done
for status in 0 1 2 3 4 5 6 7 130; do
    grep -A 1 '^\.TP 6' plain | grep -qx $status || verdict "the page has exit status $status" 1
done
while IFS= read -r variable; do
    grep -q "^\.B.* *$variable\(,\|$\)" plain
    verdict "the page has \$$variable" $? "a line of lab/command_line/environment.def"
    grep -q "^|.*\`$variable\`.* |" "$sources/doc/options.md"
    verdict "doc/options.md has \$$variable" $? "a row of its table of environment variables"
done < <(cat "$sources"/{base,src}/*.c "$sources"/{core,lab,src,kernels}/*/*.c "$sources"/kernels/*/*.cu | sed -n 's/.*getenv("\([A-Z_]*\)").*/\1/p' | sort -u)
grep -q '^\.TH CGSOLVE 1 "[0-9-]*" "cgsolve ' plain
verdict "the page has a date and a version" $? "$(grep '^\.TH' plain)"
write=$build/doc/write_pages
SOURCE_DATE_EPOCH=86400 "$write" manual | grep -q '^\.TH CGSOLVE 1 "1970-01-02"'
verdict "SOURCE_DATE_EPOCH is its date" $?

echo "# Examples"
# Those of the help run in their order; what takes seconds is only read.
while IFS= read -r command; do
    [[ $command != *--N=128* ]] || command="$command --plan"
    timeout 120 bash -c "${command/cgsolve/\"$cgsolve\"}" >out 2>err
    verdict "$command" $? "$(head -n 1 err)"
done < <(sed -n '/^Examples/,/^$/s/^  //p' help.txt)

echo "# Completion"
# complete LINE: what is proposed at its end, as bash would cut it, one a line.
complete_line() {
    (
        # shellcheck source=/dev/null
        . "$completion"
        mkdir -p bin && ln -sf "$cgsolve" bin/cgsolve && PATH=$PWD/bin:$PATH
        COMP_LINE=$1 COMP_POINT=${#1}
        COMP_WORDBREAKS=${2-$' \t\n"\'@><=;|&(:'}
        COMP_WORDS=() COMP_CWORD=-1
        local word='' at c
        for ((at = 0; at < ${#1}; at++)); do
            c=${1:at:1}
            if [[ $COMP_WORDBREAKS != *"$c"* ]]; then
                word+=$c
                continue
            fi
            [[ -z $word ]] || COMP_WORDS+=("$word")
            word=
            [[ $c == ' ' ]] || COMP_WORDS+=("$c")
        done
        if [[ ${1: -1} == [=:@] && $COMP_WORDBREAKS == *"${1: -1}"* ]]; then
            unset 'COMP_WORDS[-1]'
            word=${1: -1}
        fi
        COMP_WORDS+=("$word")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _cgsolve
        printf '%s\n' "${COMPREPLY[@]}"
    )
}

# proposes LINE EXPECTED [WORDBREAKS]: exactly those, in any order.
proposes() {
    local got
    got=$(complete_line "$1" "${@:3}" 2>&1 | sort | xargs)
    [ "$got" = "$(tr ' ' '\n' <<<"$2" | sort | xargs)" ]
    verdict "$1<TAB> proposes '$2'" $? "'$got'"
}
whole=$' \t\n"\'@><;|&(:'
bash -n "$completion"
verdict "bash reads it" $?
proposes 'cgsolve --for' '--format='
proposes 'cgsolve --format=s' 'sell sellc'
proposes 'cgsolve --format=s' '--format=sell --format=sellc' "$whole"
proposes 'cgsolve --format=' 'crs sell sellc none'
proposes 'cgsolve --format=' '--format=crs --format=sell --format=sellc --format=none' "$whole"
proposes 'cgsolve --format s' 'sell sellc'
proposes 'cgsolve --verbose --format ' 'crs sell sellc none'
proposes 'cgsolve study --format crs,s' 'crs,sell crs,sellc'
proposes 'cgsolve --N=7 --precond=j' 'jacobi'
proposes 'cgsolve solve --precond' '--precond= --precond-precision='
proposes 'cgsolve spmv --precond' ''
proposes 'cgsolve spmv --co' '--cold'
proposes 'cgsolve sp' 'spmv spgemm'
proposes 'cgsolve help ex' 'exercise expert'
proposes 'cgsolve study --format=crs,s' 'crs,sell crs,sellc'
proposes 'cgsolve study --format=crs,sell,' 'crs,sell,sellc crs,sell,none'
proposes 'cgsolve --kappa=j' 'jump:'
proposes 'cgsolve list k' 'kernels'
proposes 'cgsolve doctor --' '--threads= --device= --json= --help --usage --version --cite'
complete_line 'cgsolve spmv --kernel=' >out
grep -qx crs_row out && grep -qx sell_chunk out && grep -qx all out && ! grep -q spgemm out
verdict 'cgsolve spmv --kernel=<TAB> asks the program' $? "$(xargs <out)"
proposes 'cgsolve spmv --kernel=crs_row,sell_g' 'crs_row,sell_gather'
complete_line 'cgsolve spgemm --kernel=' >out
grep -qx spgemm_rows out && ! grep -q crs_row out
verdict 'cgsolve spgemm --kernel=<TAB> has kernels of products' $? "$(xargs <out)"
mkdir files && touch files/a.mtx files/b.txt files/c.mtx.gz files/d.json files/mine.c && mkdir files/e
proposes 'cgsolve --matrix=files/' 'files/a.mtx files/c.mtx.gz files/e/'
proposes 'cgsolve --json=files/d' 'files/d.json'
proposes 'cgsolve compare files/' 'files/d.json files/e/'
proposes 'cgsolve grade files/' 'files/e/'
proposes 'cgsolve --kernel=files/m' 'files/mine.c'
proposes 'cgsolve @files/b' 'files/b.txt'
proposes 'cgsolve study --N=3 @files/b' 'files/b.txt'
proposes 'cgsolve @files/b' '@files/b.txt' $' \t\n'
proposes 'cgsolve @files/b.txt sp' 'spmv spgemm'
proposes 'cgsolve @files/b.txt study --resu' '--resume'
proposes 'cgsolve @files/b.txt --resu' ''

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
