# doc/completion.bash: completes a command line of cgsolve. Installed behind the tables that
# doc/write_pages writes (_cgsolve_options, _cgsolve_values, _cgsolve_commands, _cgsolve_lists) and completion.sh.
# shellcheck shell=bash disable=SC2154
#
# bash cuts words at the characters of COMP_WORDBREAKS, = among them unless somebody took it out:
# `--format=s` comes as three words. So the word is taken from the line itself, and what bash has cut
# off is taken off the proposals.

# The files that begin with $1, of the kind $2: any, folders, or endings with | between them.
_cgsolve_files() {
    local name
    compgen -d -S / -- "$1"
    [[ $2 != folders ]] || return 0
    compgen -f -- "$1" | while IFS= read -r name; do
        if [[ ! -d $name ]] && [[ $2 == any || $name =~ \.($2)$ ]]; then
            printf '%s\n' "$name"
        fi
    done
}

# Completes the value in $1 (--NAME=VALUE), of the command $2 of the program $3.
_cgsolve_complete_value() {
    local name=${1%%=*} value=${1#*=} before='' values files candidate
    _cgsolve_values "$name"
    if [[ $name == --kernel ]]; then
        values="$values auto all $(_cgsolve_kernels "$3" "$2")"
        files='so|c|cu'
    fi
    if [[ $value == *,* ]] && [[ $2 == study || $name == --kernel ]]; then # a list
        before=${value%,*},
        value=${value##*,}
    fi
    {
        compgen -W "$values" -- "$value"
        if [[ -n $files ]] && [[ $name != --kernel || $value == */* ]]; then
            _cgsolve_files "$value" "$files"
        fi
    } | while IFS= read -r candidate; do
        [[ ,$before == *",$candidate,"* ]] || printf '%s\n' "$name=$before$candidate"
    done
}

_cgsolve() {
    local line=${COMP_LINE:0:COMP_POINT} word before option program=${COMP_WORDS[0]/#\~/$HOME} command=solve i
    local first=yes typed
    local IFS=$' \t\n'
    word=${line##*[[:space:]]}
    before=${line%"$word"}
    read -ra typed <<<"$before"
    for option in "${typed[@]:1}"; do # the first word but files of options
        [[ $option != @* ]] || continue
        first=no
        [[ $option == -* ]] || command=$option
        break
    done
    before=${before%"${before##*[![:space:]]}"}
    option=${before##*[[:space:]]} # the word before: --format s
    if [[ $word != -* && $option == --* ]] &&
        compgen -W "$(_cgsolve_options "$command")" -- "$option=" | grep -qxe "$option="; then
        mapfile -t COMPREPLY < <(_cgsolve_complete_value "$option=$word" "$command" "$program")
        COMPREPLY=("${COMPREPLY[@]#"$option="}")
    elif [[ $word == --*=* ]]; then
        mapfile -t COMPREPLY < <(_cgsolve_complete_value "$word" "$command" "$program")
    elif [[ $word == @* ]]; then
        mapfile -t COMPREPLY < <(_cgsolve_files "${word#@}" any)
        COMPREPLY=("${COMPREPLY[@]/#/@}")
    elif [[ $word == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$(_cgsolve_options "$command")" -- "$word")
    elif [[ $first == yes ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_cgsolve_commands" -- "$word")
    elif [[ $command == help ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_cgsolve_commands expert" -- "$word")
    elif [[ $command == list ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$_cgsolve_lists" -- "$word")
    elif [[ $command == compare ]]; then
        mapfile -t COMPREPLY < <(_cgsolve_files "$word" json)
    elif [[ $command == grade ]]; then
        mapfile -t COMPREPLY < <(_cgsolve_files "$word" folders)
    else
        mapfile -t COMPREPLY < <(compgen -W "$(_cgsolve_options "$command")" -- "$word")
    fi
    if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[=:@/] ]]; then
        compopt -o nospace 2>/dev/null
    fi
    for ((i = ${#word}; i > 0; i--)); do
        [[ $COMP_WORDBREAKS != *"${word:i-1:1}"* ]] || break
    done
    COMPREPLY=("${COMPREPLY[@]#"${word:0:i}"}")
}
complete -F _cgsolve cgsolve
