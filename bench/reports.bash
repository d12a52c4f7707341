# bench/reports.bash: what scripts of bench/ share; sourced by them, with $here, the folder bench/, set. The
# program, as $program; how a JSON report is read; how a study is drawn.

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

# draw_study STUDY FOLDER OPTION...: the study, or the part of it that the options choose in place of its own,
# drawn in FOLDER, which is made; its numbers in study.csv there. Needs gnuplot.
draw_study() {
    local study=$1 folder=$2 option point name options
    shift 2
    mapfile -t options < <(sed -n '/^  "arguments": \[/,/\]/s/^ *"\(.*\)",\{0,1\}$/\1/p' "$study/study.json" |
        grep -vE '^--(report|csv|json)=|^--(resume|draw)$|^study$')
    for option; do
        mapfile -t options < <(printf '%s\n' "${options[@]}" | grep -v "^${option%%=*}=")
    done
    mkdir "$folder"
    cp -r "$study/points" "$study/study.json" "$folder/"
    for option; do # what all points share is not in their names: N256-strong.json, with --scaling=strong N256.json
        [[ $option == *,* ]] && continue
        option=${option#--}
        [[ $option == N=* ]] && option=${option/=/}
        for point in "$folder"/points/*.json; do
            name=-$(basename "$point" .json)-
            [[ $name == *"-${option#*=}-"* ]] || continue
            name=${name/"-${option#*=}-"/-} name=${name#-}
            mv "$point" "$folder/points/${name%-}.json"
        done
    done
    "$program" study "${options[@]}" "$@" --report="$folder" --draw --csv="$folder/study.csv" >"$folder/text" ||
        [ $? = 2 ] # an order that is not as expected is what the figure shows
}
