# doc/completion.zsh: completes a command line of cgsolve. Installed behind the tables that doc/write_pages
# writes (_cgsolve_values, _cgsolve_lists; with descriptions _cgsolve_specs, _cgsolve_described) and
# completion.sh. `command` and `program` are the caller's.

# Completes a value of the option whose name comes last, behind what _arguments adds for compadd.
_cgsolve_value() {
    local name=${@[-1]} values files
    set -- "${@[1,-2]}"
    _cgsolve_values --$name
    if [[ $name == kernel ]]; then
        values="auto all $(_cgsolve_kernels $program $command)"
        files='so|c|cu'
    fi
    if [[ $command == study || $name == kernel ]]; then
        compset -P '*,' # a list
    fi
    compadd "$@" -S '' -- ${(M)${=values}:#*[:@]}
    compadd "$@" -- ${${=values}:#*[:@]}
    case $files in
    '') ;;
    any) _files ;;
    folders) _files -/ ;;
    *) _files -g "*.($files)" ;;
    esac
}

_cgsolve() {
    local command=solve program=${~words[1]} line
    local -a specs
    if [[ $words[CURRENT] == @* ]]; then # a file of options
        compset -P '@'
        _files
        return
    fi
    while (( CURRENT > 2 )) && [[ $words[2] == @* ]]; do
        words[2]=()
        (( CURRENT-- ))
    done
    if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
        _describe command _cgsolve_described
        return
    fi
    if (( CURRENT > 2 )) && [[ $words[2] != -* ]]; then
        command=$words[2]
        shift words
        (( CURRENT-- ))
    fi
    for line in $_cgsolve_specs; do
        if [[ " ${line%%|*} " == *" $command "* ]]; then
            specs+=("${line#*|}")
        fi
    done
    case $command in
    help) specs+=('1:command:{_describe command _cgsolve_described; compadd expert}') ;;
    list) specs+=("*:list:(${(j: :)${=_cgsolve_lists}})") ;;
    compare) specs+=('*:report:_files -g "*.json"') ;;
    grade) specs+=('1:folder:_files -/') ;;
    esac
    _arguments $specs
}

_cgsolve "$@"
