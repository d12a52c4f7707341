# shellcheck shell=bash
# tests/cli/ranks_verdicts.bash: verdicts on runs of several ranks, for scripts that have sourced cli.bash.
# shellcheck disable=SC2154 # cgsolve: of cli.bash

# ranks P ARGUMENT...: runs on P ranks, which the program starts itself; what they said is in out and err.
ranks() {
    CGSOLVE_RANKS=$1 timeout 300 "$cgsolve" "${@:2}" >out 2>err </dev/null
}

# silent: no sanitizer had anything to say.
silent() {
    ! grep -q -e 'runtime error:' -e 'ERROR: .*Sanitizer' -e 'WARNING: .*Sanitizer' err
}

# equals P ARGUMENT...: the history on P ranks is that of one process.
equals() {
    local got
    "$cgsolve" --backend=cpu "${@:2}" --history=one.csv --json=one.json >out 2>err ||
        verdict "one process: ${*:2}" 1 "$(head -n 1 err)"
    rm -f many.csv many.json
    ranks "$1" "${@:2}" --history=many.csv --json=many.json
    got=$?
    [ $got = 0 ] && cmp -s one.csv many.csv && silent
    verdict "$1 ranks: ${*:2}" $? "exit status $got, $(cmp one.csv many.csv 2>&1 && echo with its history); report: $(
        value exit_status many.json 2>&1); $(grep -m 1 cgsolve: err || head -c 1000 err | tr '\n' ' ')"
}

# fails STATUS PATTERN NAME: the run that has just ended with $? did so with STATUS, and its one line matches.
fails() {
    local got=$? lines
    lines=$(grep -c '^cgsolve: ' err)
    [ $got = "$1" ] && [ "$lines" = 1 ] && grep -Eq -- "^cgsolve: $2" err && silent
    verdict "$3" $? "exit status $got, not $1; $lines messages: $(grep -m 1 cgsolve: err)"
}
