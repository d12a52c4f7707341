#!/usr/bin/env bash
# tests/tree/completion.sh: the completions of fish and zsh, which derive from the program's tables, in these
# shells; 77 (skipped) where neither is installed. That of bash is in manual.sh.
set -u

# shellcheck source=tests/support/verdicts.bash
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdicts.bash"
completions=$build/doc/completions
if [ ! -d "$completions" ] || { ! command -v fish && ! command -v zsh; } >/dev/null; then
    echo "skipped: no fish and no zsh here, or a build for another machine, which has no completions"
    exit 77
fi
mkdir bin && ln -s "$cgsolve" bin/cgsolve
export PATH=$work/bin:$PATH HOME=$work
mkdir files && touch files/a.mtx files/b.json files/mine.c

# in_fish LINE: what is proposed at its end, one a line.
in_fish() {
    fish --no-config -c "source '$completions/cgsolve.fish'; complete -C '$1'" | cut -f 1 | sed 's/^--[^=]*=//'
}

# The same in zsh, whose completions need a terminal and an editor: compadd notes what it is given.
cat >propose.zsh <<'ZSH'
zmodload zsh/zpty && zpty shell zsh -f -i || exit
zpty -w shell "fpath=(${(q)1} \$fpath) PS1= RPS1="
zpty -w shell 'autoload -Uz compinit; compinit -D -u
compadd() {
    local -a hits
    if [[ ${@[1,(i)(-|--)]} != *-(A|O|D)\ * ]]; then
        builtin compadd -A hits "$@"
        (( $#hits == 0 )) || print -rl -- $hits >>hits
    fi
    builtin compadd "$@"
}
finish() { touch finished; exit }
zle -N finish; bindkey "^I" complete-word "^X" finish'
zpty -n -w shell "$2"$'\t\x18'
for i in {1..300}; do
    [[ ! -e finished ]] || break
    sleep 0.1
done
zpty -d shell
ZSH
in_zsh() {
    rm -f hits finished
    zsh -f propose.zsh "$completions" "$1" >/dev/null
    cat hits 2>/dev/null
}

# proposes LINE EXPECTED: exactly those, in any order. A list is proposed whole in fish, in zsh its last value.
proposes() {
    local got
    got=$("in_$shell" "$1" 2>&1 | sed 's/.*,//; s|[=/]$||; s|.*/||' | sort -u | xargs)
    [ "$got" = "$(tr ' ' '\n' <<<"$2" | sort | xargs)" ]
    verdict "$shell: $1<TAB> proposes '$2'" $? "'$got'"
}

for shell in fish zsh; do
    echo "# $shell"
    if ! command -v $shell >/dev/null; then
        echo "skipped: no $shell here"
        continue
    elif [ $shell = zsh ] && ! zsh -f -c 'zmodload zsh/zpty && zpty probe true'; then
        echo "skipped: zsh has no pseudo-terminal here"
        continue
    fi
    proposes 'cgsolve --for' '--format'
    proposes 'cgsolve --format=s' 'sell sellc'
    proposes 'cgsolve --format ' 'crs sell sellc none'
    proposes 'cgsolve -N 7 --precond=j' 'jacobi'
    proposes 'cgsolve spmv --precond' ''
    proposes 'cgsolve spmv --co' '--cold'
    proposes 'cgsolve sp' 'spmv spgemm'
    proposes 'cgsolve help sp' 'spmv spgemm'
    proposes 'cgsolve help ex' 'exercise expert'
    proposes 'cgsolve study --format=crs,s' 'sell sellc'
    proposes 'cgsolve --kappa=j' 'jump:'
    proposes 'cgsolve list k' 'kernels'
    proposes 'cgsolve doctor --' '--threads --device --json --help --usage --version --cite'
    proposes 'cgsolve spmv --kernel=crs_row,sell_g' 'sell_gather'
    proposes 'cgsolve spgemm --kernel=spgemm_r' 'spgemm_rows'
    proposes 'cgsolve --matrix=files/a' 'a.mtx'
    proposes 'cgsolve compare files/b' 'b.json'
    proposes 'cgsolve study --report=fil' 'files'
    proposes 'cgsolve study --N=3 @files/b' 'b.json'
    proposes 'cgsolve @files/b.json spm' 'spmv'
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
