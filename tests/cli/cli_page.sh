#!/usr/bin/env bash
# tests/cli/cli_page.sh: what `cgsolve study --report=DIR` draws: figures, report.html; that it needs nothing
# beside it; what it says where rounding rules, where points fail, and without gnuplot.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"
export CGSOLVE_TEST=${CGSOLVE_TEST-part=0.02,battery=0},disturbed=0
cpu=(study --backend=cpu --threads=1)

# says FILE PATTERN: a line of the page; lacks: none.
says() {
    grep -Eq -- "$2" "$1"
    verdict "$1 says '$2'" $? "$(grep -c '' "$1" 2>&1) lines"
}
lacks() {
    ! grep -Eq -- "$2" "$1"
    verdict "$1 is silent of '$2'" $? "$(grep -E -- "$2" "$1" | head -n 1 | cut -c1-100)"
}

# self_contained FILE: well-formed, nothing fetched, no script, every id once and every reference met.
self_contained() {
    if command -v xmllint >/dev/null; then
        xmllint --noout "$1" 2>xml.err
        verdict "$1: well-formed (xmllint)" $? "$(head -n 2 xml.err | tr '\n' ' ')"
    elif command -v python3 >/dev/null; then
        python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' "$1" 2>xml.err
        verdict "$1: well-formed (python)" $? "$(tail -n 1 xml.err)"
    else
        echo "skipped $1: well-formed: neither xmllint nor python3"
    fi
    # names of XML are no addresses; all else that begins with http is
    ! sed "s|xmlns[:a-z]*=[\"']http[^\"']*[\"']||g" "$1" | grep -Eiq \
        'https?:|<script|<link|<img|<iframe|@import|@font-face|[^-]src *=|url\([^#]|href=.[^#]'
    verdict "$1: no reference to the outside" $?
    grep -o " id=[\"'][^\"']*[\"']" "$1" | tr -d "\"'" | sed 's/ id=//' | sort >ids
    same "$1: every id once" "$(uniq -d ids | wc -l)" 0
    { grep -o "href=[\"']#[^\"']*[\"']" "$1"; grep -o 'url(#[^)]*)' "$1"; } |
        sed 's/.*#//' | tr -d "\"')" | sort -u | comm -23 - <(sort -u ids) >dangling
    same "$1: every reference is met" "$(wc -l <dangling)" 0
    says "$1" '<meta name="viewport"'
    says "$1" 'prefers-color-scheme:dark'
}

# drawn FOLDER NAME...: the figures that are there, and in the page, and no others.
drawn() {
    local folder=$1
    shift
    readable "$folder"
    same "$folder: figures" "$(cd "$folder" && echo *.svg)" "$(printf '%s.svg\n' "$@" | sort | tr '\n' ' ' | sed 's/ $//')"
    same "$folder: in the page" "$(grep -o '<figure id="[^"]*"' "$folder/report.html" | cut -d'"' -f2 | sort)" \
        "$(printf '%s\n' "$@" | sort)"
}

if gnuplot --version >/dev/null 2>&1; then gnuplot=yes; else gnuplot=no; fi
errors=(convergence-l2 convergence-nodal convergence-h1 convergence-max)
speed=(spmv-throughput spmv-time mups iterations solve-time)

echo "# A study of convergence"
accepts "${cpu[@]}" --N=7,15 --quadrature=gauss,blended --format=crs,sell --tol=1e-12 --report=plain --json=j.json
page=plain/report.html
self_contained $page
says $page '<strong>All orders of convergence are as expected</strong>: L2 1\.9'
says $page '<td>6\.3352e-06</td><td>3\.99</td>'
says $page '<span>blended</span>'
lacks $page '<span>blended, crs' # errors that agree are one
says $page '<code>cgsolve study --backend=cpu --threads=1 --N=7,15 --quadrature=gauss,blended'
says $page '<dt>machine</dt>'
says $page "cgsolve $("$cgsolve" --version | head -n 1 | sed 's/^cgsolve \([^ ]*\).*/\1/')"
says $page 'Time of the transfers, Throughput of the transfers: nothing was transferred'
lacks $page 'Points that failed|nan|-nan|inf\b'
same 'orders as in the JSON report' "$(grep -c '"met": true' j.json)" 16
if [ $gnuplot = yes ]; then
    drawn plain "${errors[@]}" "${speed[@]}"
    says $page 'gnuplot [5-9]'
    lacks $page 'Figures are missing'
    for figure in plain/convergence-l2.svg plain/mups.svg; do
        same "$figure: a root" "$(grep -c '<svg' $figure)" 1
    done
    again=("${cpu[@]}" --N='7,15' --quadrature='gauss,blended' --format='crs,sell' --tol=1e-12 --report=plain --draw)
    accepts "${again[@]}" --figures=pdf
    drawn plain "${errors[@]}" "${speed[@]}"
    same 'a PDF beside each SVG' "$(cd plain && for pdf in *.pdf; do echo "${pdf%.pdf} $(head -c 5 "$pdf")"; done)" \
        "$(printf '%s %%PDF-\n' "${errors[@]}" "${speed[@]}" | sort)"
    mkdir lacks # a gnuplot without pdfcairo
    # shellcheck disable=SC2016
    printf '#!/bin/sh\n[ "$1" = --version ] && exec %s --version\nsed s/pdfcairo/absent/g | exec %s\n' \
        "$(command -v gnuplot)" "$(command -v gnuplot)" >lacks/gnuplot
    chmod +x lacks/gnuplot
    PATH=$PWD/lacks:$PATH accepts "${again[@]}" --figures=pdf
    says $page 'Figures are missing: .*convergence-l2\.pdf.*cannot write PDF .*terminal .* is missing'
    drawn plain "${errors[@]}" "${speed[@]}"
    accepts "${again[@]}"
    same 'without it no PDF is left' "$(cd plain && echo *.pdf*)" '*.pdf*'
else
    echo "skipped the figures: gnuplot is not there"
fi
chromium=$(command -v chromium || command -v chromium-browser || true)
if [ -n "$chromium" ] && timeout 60 "$chromium" --headless --no-sandbox --disable-gpu --user-data-dir=profile \
    --window-size=390,800 --screenshot=page.png "file://$PWD/$page" >/dev/null 2>&1 && [ -s page.png ]; then
    verdict 'a browser shows it' 0
else
    echo "skipped the browser: chromium is not there, or does not start"
fi

echo "# Without gnuplot"
without_gnuplot accepts "${cpu[@]}" --N=7,15 --quadrature=gauss,blended --format=crs,sell --tol=1e-12 --report=plain --resume
self_contained $page
says $page 'Figures are missing: .*is not there \(package gnuplot-nox'
lacks $page '<svg'
same 'scripts and data are left' "$(cd plain && echo *.gp)" \
    "$(printf '%s.svg.gp\n' "${errors[@]}" "${speed[@]}" | sort | tr '\n' ' ' | sed 's/ $//')"
[ ! -e plain/mups.svg ]
verdict 'figures of an earlier call are gone' $?

echo "# An interval is claimed of more than three points"
pm=$(printf '\302\261')
accepts "${cpu[@]}" --N=3,7,15 --quadrature=gauss --report=three
grep -Eq ' L2 +1\.[0-9]+ +of 3 points; expected 2' out && ! grep -Eq '\+- [0-9.]+ +of 3 points' out
verdict 'three points: none in the text' $? "$(grep ' points; ' out)"
lacks three/report.html "<strong>[0-9.]+</strong> $pm"
accepts "${cpu[@]}" --N=3,7,11,15 --quadrature=gauss --report=four
grep -Eq '^ +L2 +1\.[0-9]+ \+- 0\.[0-9]+ +of 4 points' out
verdict 'four points: one in the text' $? "$(grep ' points; ' out)"
says four/report.html "<strong>[0-9.]+</strong> $pm"
if [ $gnuplot = yes ]; then
    lacks three/convergence-l2.svg "order [0-9.]+ $pm"
    says four/convergence-l2.svg "order [0-9.]+ $pm"
fi

echo "# Where rounding rules"
accepts "${cpu[@]}" --N=7,15,31 --quadrature=blended --precision=single --report=single
says single/report.html '<strong>All orders of convergence are as expected'
says single/report.html 'from N = 31 on <strong>rounding and the tolerance 1e-05 in single precision</strong> stop the convergence of nodal L2'
says single/report.html '<td class="out">[0-9.e-]*\*</td>'

echo "# Orders that are not as expected"
refuses 2 'orders? of convergence .* not as expected' "${cpu[@]}" --N=7,15 --expect-order=l2:3 --report=wrong
says wrong/report.html '<strong>1 of 1 orders of convergence is not as expected</strong>: this study: L2 1\.97 instead of 3'

echo "# Other axes, other problems"
accepts "${cpu[@]}" --N=9 --chunk=4,8,16 --precond=none,jacobi --report=chunk
self_contained chunk/report.html
[ $gnuplot = no ] || drawn chunk "${speed[@]}"
[ $gnuplot = no ] || says chunk/report.html 'At chunk = 16 from|Iterations of CG to the tolerance'
says chunk/report.html 'Convergence in L2, .*: a convergence takes several N'
accepts "${cpu[@]}" --N=9 --format=crs,sell --precond=none,jacobi --report=bars
self_contained bars/report.html
[ $gnuplot = no ] || drawn bars "${speed[@]}"
accepts "${cpu[@]}" --N=7,15 --problem=course --report=course
says course/report.html 'The consistency error is of order <strong>1\.97</strong> \(theory: 2; it is shown, not judged\)'
says course/report.html 'nothing is expected: b = A u'
[ $gnuplot = no ] || drawn course "${errors[@]}" consistency "${speed[@]}"
accepts "${cpu[@]}" --N=5,7 --format=crs,sell,none --precond=none,jacobi,chebyshev --report=many
self_contained many/report.html
[ $gnuplot = no ] || drawn many "${errors[@]}" "${speed[@]}"
# nine series: a panel for each value of an option, which their names leave out
[ $gnuplot = no ] || says many/mups.svg '>(crs|format=crs|precond=none)<'

echo "# Points that fail; texts with characters of HTML"
mkdir '<b>&"x"é'
refuses 2 'of 2 points failed' "${cpu[@]}" --N=7,31 --memory-limit=2M --report='<b>&"x"é/r'
self_contained '<b>&"x"é/r/report.html'
says '<b>&"x"é/r/report.html' '<strong>1 of 2 points failed</strong>'
says '<b>&"x"é/r/report.html' '<dt>N=31 \(exit status 5\)</dt><dd>N = 31 needs'
says '<b>&"x"é/r/report.html' '--report=&lt;b&gt;&amp;&quot;x&quot;é/r'
refuses 2 'h1 cannot be fitted: too few points, and 1 was asked for' "${cpu[@]}" --N=3,64 --memory-limit=2M --expect-order=h1:1 --report=one --json=one.json
says one/report.html '<th scope="row">64</th>'
lacks one/report.html 'nan'
grep -q 'H1  *cannot be fitted of 1 point; expected 1 .*: NOT MET' out && grep -q '"met": false' one.json
verdict 'text and JSON name the order that cannot be fitted' $?

echo "$passed passed, $failed failed"
[ $failed = 0 ]
