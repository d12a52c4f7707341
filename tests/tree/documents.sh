#!/usr/bin/env bash
# tests/tree/documents.sh: README.md, HACKING.md and doc/*.md against the tree and the program. Nothing of
# them is run here (tests/tree/readme.sh does that); looked at is
#   - that every relative link leads to a file, and to a heading where it names one; that files named exist;
#   - that doc/index.md names every page, and `make install` takes it along;
#   - that an option which a page names is one of the program's, or one of others' that is listed here;
#   - that doc/report.md has the table of keys that derives from core/facts/facts.h, and that doc/
#     names every other key of a JSON report: those that the sources put, and those of some runs.
set -u

# shellcheck source=tests/support/verdicts.bash
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdicts.bash"
if [ ! -f "$sources/README.md" ]; then
    echo "skipped: no README.md beside the tests"
    exit 77
fi
documents=("$sources/README.md" "$sources/HACKING.md" "$sources/CONTRIBUTING.md" "$sources"/doc/*.md)

# ---- links ----

# Anchor of a heading, as others make it: small letters, blanks become hyphens, the rest goes.
anchors() {
    sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

links=0 lost=
for document in "${documents[@]}"; do
    while read -r link; do
        links=$((links + 1))
        path=${link%%#*} target=$document
        [ -n "$path" ] && target=$(dirname "$document")/$path
        if [ ! -e "$target" ]; then
            lost="$lost $(basename "$document"):$link"
        elif [[ $link == *#* ]] && ! anchors "$target" | grep -qxF -e "${link#*#}"; then
            lost="$lost $(basename "$document"):$link"
        fi
    done < <(grep -oE '\]\([^)]+\)|<img src="[^"]+"' "$document" | sed 's/^](//; s/)$//; s/^<img src="//; s/"$//' | grep -vE '^(https?|mailto):')
done
[ -z "$lost" ] && [ $links -ge 20 ]
verdict "$links relative links lead somewhere" $? "$lost"

# Files that pages name between backticks: of the sources, programs of bench/ and tests/, an installed header.
# shellcheck disable=SC2016 # backticks, as the pages have them
lost=$(grep -ohE '`[a-z_]+/[A-Za-z0-9_./-]+`' "$sources/README.md" "$sources"/doc/*.md | tr -d '`' | sort -u |
    while read -r path; do
        path=$sources/${path#build/}
        [[ $path == "$sources"/bench/results?(/*) ]] && [ ! -d "$sources/bench/results" ] && continue # a tarball
        [ -e "$path" ] || [ -e "$path.c" ] || [ -e "$path.cu" ] || [ -e "${path/#$sources/$sources\/include}" ] ||
            echo "${path#"$sources"/}"
    done | tr '\n' ' ')
[ -z "$lost" ]
verdict "files that pages name exist" $? "$lost"

# ---- pages ----

left_out='' installed=$(sed -e :a -e '/\\$/N; s/\\\n//; ta' "$sources/Makefile.am" \
    "$sources"/*/local.mk | grep -E '^dist_pages_DATA *\+?=')
for page in "$sources"/doc/*.md; do
    name=$(basename "$page")
    [ "$name" = index.md ] || grep -q "$name" "$sources/doc/index.md" || left_out="$left_out $name"
    grep -q "/$name" <<<"$installed" || left_out="$left_out $name(dist_pages_DATA)"
done
[ -z "$left_out" ]
verdict "doc/index.md names every page, dist_pages_DATA has it" $? "$left_out"

# Each page begins with a sentence on what its reader will know or be able to do.
silent=
for page in "$sources/CONTRIBUTING.md" "$sources"/doc/*.md; do
    sed -n '3,4p' "$page" | grep -qE '^(After this page|This page (says|lists|introduces))' || silent="$silent $(basename "$page")"
done
[ -z "$silent" ]
verdict "pages begin with what one will learn" $? "$silent"

cited=$(sed -n 's/^version: //p' "$sources/CITATION.cff" 2>/dev/null)
[ -n "$cited" ] && "$cgsolve" --version | grep -qxF "cgsolve $cited"
verdict "CITATION.cff has the version of the program" $? "$cited"
grep -Eqx 'date-released: [0-9]{4}-[0-9]{2}-[0-9]{2}' "$sources/CITATION.cff"
verdict "CITATION.cff has a date" $? "$(grep date "$sources/CITATION.cff")"
"$cgsolve" --cite >cite.bib
grep -qF "{{$(sed -n 's/^  - name: //p' "$sources/CITATION.cff")}}," cite.bib && grep -qF "Version $cited, commit " cite.bib
verdict "--cite has the same authors and version" $? "$(head -n 2 cite.bib)"

# ---- options ----

# Options of others that the documents speak of: configure's, bootstrap's, bench/'s, compilers', tools'.
others='--with-[a-z]+|--without-[a-z]+|--enable-[a-z-]+|--disable-[a-z-]+|--no-install|--cuda|--ranks|--dir|--only'
others="$others|--iterations|--repeats|--pack|--expt-relaxed-constexpr|--error-exitcode|--tool|--prefix"
others="$others|--cflags|--libs|--static|--headless|--largest|--warnings|--help|--usage|--version"
others="$others|--allow-run-as-root|--bind-to|--oversubscribe|--nodes|--ntasks-per-node|--cpus-per-task"
others="$others|--config-settings|--map-by|--report-bindings|--hostfile|--mpi|--cpu-bind|--hint|--job-name|--time"
others="$others|--errors-for-leak-kinds|--host|--leak-check|--mca|--suppressions|--trace-children"
{ "$cgsolve" help && "$cgsolve" help expert; } | grep -oE '^ *--[a-z][a-z-]*' | tr -d ' ' | sort -u >known
unknown=$(cat "${documents[@]}" | grep -oE '(^|[^-a-zA-Z0-9])--[a-z][a-z-]*' | grep -oE -e '--.*' | sort -u |
    grep -vxE -e "$others" | grep -vxF -f known | tr '\n' ' ')
[ -z "$unknown" ] && [ "$(wc -l <known)" -ge 30 ]
verdict "options that the documents name exist" $? "$unknown"

# ---- keys of JSON ----

write_pages=$build/doc/write_pages
if [ -x "$write_pages" ]; then
    "$write_pages" keys >derived
    sed -n '/^## Keys of JSON/,/^## / { /^|/p }' "$sources/doc/report.md" >shown
    cmp -s derived shown && [ "$(wc -l <derived)" -ge 40 ]
    verdict "doc/report.md has the keys as doc/write_pages writes them" $? "$(diff shown derived | head -n 4)"
fi

# shellcheck disable=SC2016 # backticks, as the pages have them
grep -ohE '`[a-zA-Z_0-9.]+(\[\]|\{\})?`' "$sources"/doc/*.md | tr -d '`[]{}' | tr . '\n' | sort -u >named
put='(cgs_put_[a-z]+|json_object_set_new)\([a-z_]+, *"[A-Za-z_0-9]+"|cgs_figure_[a-z]+\("[a-z_0-9]+"|^CGS_(KERNEL_)?FACT\([A-Za-z_0-9]+,'
# (Facts that fill the template lab/io/page.html are JSON that no report has.)
find "$sources"/{core,lab,src} \( -name '*.c' ! -name 'html_page*' ! -name 'study_page*' ! -name 'collection_page*' ! -name 'grade_page*' -o -name 'facts_*.def' \) \
    -exec grep -ohE "$put" {} + |
    sed 's/.*"\(.*\)"/\1/; s/CGS_.*FACT(\(.*\),/\1/' |
    sort -u >keys
[ "$(wc -l <keys)" -ge 150 ]
verdict "the sources put keys" $? "$(wc -l <keys)"
unnamed=$(grep -vxF -f named keys | tr '\n' ' ')
[ -z "$unnamed" ]
verdict "doc/ names every key that the sources put into JSON" $? "$unnamed"

system=$sources/tests/systems/bcsstk01.mtx
runs() { # OPTIONS...: the keys of a run
    timeout 60 "$cgsolve" "$@" --json=- 2>&1 </dev/null | grep -oE '^ *"[A-Za-z_0-9 ]+":|[{,] *"[A-Za-z_0-9 ]+":' |
        sed 's/.*"\(.*\)".*/\1/'
}
{
    runs --backend=cpu --N=6 --profile --solves=2
    runs --backend=cpu --N=15 --precond=mg --profile --guess=fmg
    runs --backend=cpu --N=15 --precond=amg --precision=mixed
    runs --backend=cpu --matrix="$system" --precond=jacobi
    runs --backend=cpu --N=6 --plan
    runs --backend=cpu --N=6 --inject=nan@2
    runs spmv --backend=cpu --N=5 --repeat=1
    runs spmv --backend=cpu --matrix="$sources/tests/systems" --kernel=crs_row --repeat=1
    runs spgemm --backend=cpu --N=5 --repeat=1
    runs spgemm --backend=cpu --N=5 --plan
    runs study --backend=cpu --N=3,5
    runs doctor
} | sort -u >seen
unnamed=$(grep -vxF -f named seen | tr '\n' ' ')
count=$(wc -l <seen)
[ -z "$unnamed" ] && [ "$count" -ge 100 ]
verdict "doc/ names every key of $count that some runs write" $? "$unnamed"

# ---- C ----

# C that pages show as a whole file between fences ("```c") has to compile as a source of this tree.
if command -v cc >/dev/null; then
    count=0
    for page in "$sources"/doc/adding-*.md; do
        # shellcheck disable=SC2016 # backticks, as the pages have them
        sed -n '/^```c$/,/^```$/ { /^```/d; p }' "$page" >shown.c
        [ -s shown.c ] || continue
        count=$((count + 1))
        cc -std=gnu17 -fopenmp -fsyntax-only -Wall -Wextra -Werror -DCGS_PRECISION=f64 -I"$sources" shown.c 2>errors
        verdict "$(basename "$page"): its C compiles" $? "$(grep -m 1 error errors)"
    done
    [ $count -ge 2 ]
    verdict "pages show C" $? "$count"
else
    echo "skipped: no cc to compile what pages show"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
