# doc/completion.fish: functions for the completions of cgsolve, which doc/write_pages writes behind them.

# The words before the one that is typed, without files of options, @FILE.
function __cgsolve_words
    string match -v -- '@*' (commandline -opc)
end

# The files that the word @... may become.
function __cgsolve_option_files
    for file in (__fish_complete_path (commandline -ct | string sub -s 2) | string replace -r '\t.*' '')
        echo "@$file"
    end
end

# The command on the line.
function __cgsolve_command
    set -l words (__cgsolve_words)
    if set -q words[2]; and not string match -q -- '-*' $words[2]
        echo $words[2]
    else
        echo solve
    end
end

# Succeeds if the command on the line is one of the words.
function __cgsolve_takes
    contains -- (__cgsolve_command) $argv
end

# Succeeds where a command may stand: as the first word, or behind help.
function __cgsolve_wants_command
    test (count (__cgsolve_words)) -eq 1; or __cgsolve_takes help
end

# The words as values of an option; in a list they stand behind its last comma.
function __cgsolve_values
    set -l before (commandline -ct | string replace -r -- '^--[^=]*=' '' | string replace -r -- '[^,]*$' '')
    for word in $argv
        echo "$before$word"
    end
end

# The names of the kernels that the program has for the command on the line.
function __cgsolve_kernels
    set -l program (commandline -opc)[1]
    set -l of_products no
    test (__cgsolve_command) = spgemm; and set of_products yes
    eval $program list kernels 2>/dev/null | awk -v wanted=$of_products '
        /^[A-Z]/ { of_products = /^Products of matrices/ ? "yes" : "no" }
        /^  [a-z]/ && $2 ~ /^(cpu|cuda)$/ && !/not in this build/ && of_products == wanted { print $1 }'
end

