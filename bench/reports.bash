# bench/reports.bash: what bench/acceptance and bench/peers/compare share; sourced by them, with
# $here, the folder bench/, set. The program, as $program; how a JSON report is read.

for candidate in "${CGSOLVE:-}" "$here/../build/cgsolve" "$here/cgsolve" "$(command -v cgsolve)"; do
    if [ -x "$candidate" ]; then
        program=$candidate
        break
    fi
done
: "${program:?no cgsolve found: build it, or set CGSOLVE}"

# value KEY FILE: a number or word of the report; KEY is unique in it, or parent.key.
value() {
    local parent=${1%.*} key=${1##*.}
    if [ "$parent" = "$1" ]; then
        sed -n "s/^ *\"$key\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$2" | head -n 1
    else
        sed -n "/^ *\"$parent\": {/,/}/s/^ *\"$key\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$2" |
            head -n 1
    fi
}
