# doc/completion.sh: what the completions of bash and zsh share.
# shellcheck shell=bash

# The names of the kernels that the program $1 has for the command $2.
_cgsolve_kernels() {
    "$1" list kernels 2>/dev/null | awk -v products="$([[ $2 != spgemm ]] || echo yes)" '
        /^[A-Z]/ { of_products = /^Products of matrices/ ? "yes" : "" }
        /^  [a-z]/ && $2 ~ /^(cpu|cuda)$/ && !/not in this build/ && of_products == products {
            print $1
        }'
}

