#!/usr/bin/env bash
# tests/tree/tree.sh: the order of the sources. doc/architecture.md has it, in a table of rooms from bottom
# to top. Held here, by the lines #include "..." of base/, matrix/, fem/, kernels/, solver/, core/, lab/ and src/:
#
#   - a file includes files of its own room and of rooms further down; rooms of one row of the table
#     do not see each other; what lab/ knows of a run is in core/ and in reports: never matrix/ to solver/
#   - modules have no circles: a module is a file with its header (x.c, x.cu, x.h, x_internal.h)
#   - files have no circles of calls, whatever header declares the functions; x.c and x_absent.c are one
#   - a prototype stands in the header of its source: x.c in x.h or x_internal.h
#   - a header is included by some source, of tests, benchmarks or pages at least
#   - a folder of sources has a row, and holds at most 40 of them
#   - a line has at most 100 columns
#
# Each check is seen to fail, too, on a small tree with that fault planted in it.
set -u

# shellcheck source=tests/support/verdicts.bash
. "$(dirname "${BASH_SOURCE[0]}")/../support/verdicts.bash"
if [ ! -f "$sources/src/main.c" ]; then
    echo "skipped: no sources beside the tests"
    exit 77
fi
most=40
width=100

# rooms: "rank folder" of each room named in the table of doc/architecture.md of this tree.
rooms() {
    awk -F'|' '/^\| room/ { rank = 1; next }
        rank && /^\| *`/ { count = split($2, names, "`"); for (i = 2; i <= count; i += 2) print rank, names[i]; rank++; next }
        rank && !/^\|/ { exit }' doc/architecture.md
}

# files [FOLDER...]: the sources of this tree, without its tests, or those of the folders; one a line.
files() {
    [ $# -gt 0 ] || set -- base matrix fem kernels solver core lab src
    find "$@" -name '*.[ch]' -o -name '*.cu' -o -name '*.cuh' -o -name '*.def' 2>/dev/null |
        grep -v '/commit\.h$' | sort
}

# includes: "file included" of all that is within the tree.
includes() {
    files | xargs grep -H '^#include "[a-z]*/' /dev/null |
        sed 's/^\([^:]*\):#include "\([^"]*\)".*/\1 \2/' |
        awk 'NR == FNR { there[$1]; next } $2 in there' <(files) -
}

# against_order: includes that go up, or from a room to another of its row.
against_order() {
    { rooms; echo; includes; } | awk '
        NF == 0 { pairs = 1; next }
        !pairs { rank[$2] = $1; next }
        function room(path) {
            while (sub(/\/[^\/]*$/, "", path)) if (path in rank) return path
            return ""
        }
        { a = room($1); b = room($2) }
        a != b && !(a in rank && b in rank && rank[b] < rank[a]) ||
        a ~ /^lab\// && b ~ /^(matrix|fem|kernels|solver)(\/|$)/ { print $1 " includes " $2 }'
}

# circles: a module of each circle, as tsort names them.
circles() {
    includes | awk '
        function module(path) { if (path !~ /\.def$/) sub(/\.[a-z]*$/, "", path); sub(/_internal$/, "", path); return path }
        { a = module($1); b = module($2) } a != b { print a, b }' | tsort 2>&1 >/dev/null | sed -n 's/^tsort: //p'
}

# calls: "module called" for each call of a function of another module; what is defined once for each precision has
# no name here.
# shellcheck disable=SC2016 # awk's
calls() {
    files | grep -E '\.cu?$' | xargs awk '
        function module(path) { sub(/\.[a-z]*$/, "", path); sub(/_absent$/, "", path); return path }
        function without_comments(line, kept, i) {
            while (line != "") {
                if (comment && !(i = index(line, "*/"))) return kept
                if (comment) { line = substr(line, i + 2); comment = 0; continue }
                if (!(i = index(line, "/*"))) return kept line
                kept = kept substr(line, 1, i - 1); line = substr(line, i + 2); comment = 1
            }
            return kept
        }
        FNR == 1 { comment = 0; head = "" }
        { line = without_comments($0) }
        line ~ /^[a-z]/ && line !~ /^(static|extern|typedef)/ && match(line, /cgs_[a-z0-9_]+\(/) { head = substr(line, RSTART, RLENGTH - 1) }
        line ~ /;[ ]*$/ { head = "" }
        line == "{" && head != "" { of[head] = module(FILENAME); head = "" }
        {
            gsub(/(struct|enum) +cgs_[a-z0-9_]+/, "", line)
            while (match(line, /cgs_[a-z0-9_]+/)) {
                names[module(FILENAME), substr(line, RSTART, RLENGTH)]
                line = substr(line, RSTART + RLENGTH)
            }
        }
        END {
            for (pair in names) {
                split(pair, part, SUBSEP)
                if (part[2] in of && of[part[2]] != part[1]) print part[1], of[part[2]]
            }
        }'
}

# circles_of_calls: a module of each, as tsort names them.
circles_of_calls() {
    calls | tsort 2>&1 >/dev/null | sed -n 's/^tsort: //p'
}

# strangers: prototypes in a header that is not their source's. What several sources define, one for each machine, has a
# header of its own name; what is defined once for each precision has no name here.
strangers() {
    files | xargs grep -nHE '^[a-z].*[^a-z0-9_]cgs_[a-z0-9_]+\(' /dev/null | awk '
        function module(path) { sub(/\.[a-z]*$/, "", path); sub(/_(internal|absent)$/, "", path); return path }
        { split($0, part, ":"); path = part[1]; line = substr($0, length(path) + length(part[2]) + 3) }
        line ~ /^(static|extern|typedef|return|else)/ { next }
        match(line, /cgs_[a-z0-9_]+\(/) {
            name = substr(line, RSTART, RLENGTH - 1)
            source = " " module(path) " "
            if (path ~ /\.cu?$/ && line !~ /;$/ && !index(of[name], source)) of[name] = of[name] source
            if (path ~ /\.(cu)?h$/) declared[path, name]
        }
        END {
            for (pair in declared) {
                split(pair, part, SUBSEP)
                if (split(of[part[2]], sources, " ") == 1 && sources[1] != module(part[1]))
                    print part[1] " declares " part[2] " of " sources[1]
            }
        }' | sort
}

# unused: headers that no source includes.
unused() {
    comm -23 <(files | grep -E '\.(h|cuh|def)$') \
        <({ files && files tests bench doc; } | xargs sed -n 's/^ *# *include "\([^"]*\)".*/\1/p' | sort -u)
}

# crowded: folders with too many sources, or that have no row.
crowded() {
    { rooms; echo; files; } | awk -v most="$most" '
        NF == 0 { sources = 1; next }
        !sources { rank[$2]; next }
        { path = $1; sub(/\/[^\/]*$/, "", path); count[path]++ }
        END {
            for (folder in count) {
                top = folder
                while (!(top in rank) && sub(/\/[^\/]*$/, "", top)) ;
                if (!(top in rank)) print folder " has no row"
                if (count[folder] > most) print folder " holds " count[folder]
            }
        }'
}

# crowded_tests: folders of tests/ with too many sources.
crowded_tests() {
    find tests -name '*.[ch]' -o -name '*.sh' | sed 's,/[^/]*$,,' | sort | uniq -c |
        awk -v most="$most" '$1 > most { print $2 " holds " $1 }'
}

# wide: lines of more than 100 columns. A table or a formula in a comment, which is set in, may have
# more: it cannot be cut.
wide() {
    { files && files tests; } | grep -v '\.def$' | xargs awk -v most="$width" '
        length > most && !/^ *\*  +[^ ]/ { print FILENAME ":" FNR " has " length " columns" }' /dev/null
}

# silent NAME CHECK: the check finds nothing.
silent() {
    local found
    found=$($2)
    [ -z "$found" ]
    verdict "$1" $? "$found"
}

echo "# Planted faults"
mkdir -p planted/{base,matrix,core/io,lab/page,src/solve,src/spmv,doc,tests/base}
cd planted || exit 1
cat >doc/architecture.md <<'ROOMS'
| room | what for |
|---|---|
| `base` | below all |
| `matrix` | numbers |
| `core/io` | texts |
| `lab/page` | pages |
| `src/solve`, `src/spmv` | commands |
| `src` | main |
ROOMS
header() { # FILE [INCLUDED]
    printf '#pragma once\n%s' "${2:+#include \"$2\"$'\n'}" >"$1"
}
header base/a.h
header matrix/b.h base/a.h
header src/solve/c.h matrix/b.h
header src/spmv/d.h
echo '#include "matrix/b.h"' >matrix/b.c
printf '#include "%s"\n' src/solve/c.h src/spmv/d.h >src/main.c
silent "a tree in order: includes against it" against_order
silent "a tree in order: circles" circles
printf '#include "matrix/b.h"\n\nint cgs_b(void)\n{\n    return cgs_c(1); /* cgs_d() */\n}\n' >matrix/b.c
printf 'int cgs_c(int n)\n{\n    return n;\n}\n' >matrix/c.c
printf 'int cgs_d(void)\n{\n    return cgs_b();\n}\n' >matrix/d.c
same "a tree in order: calls" "$(calls | sort | tr '\n' ' ')" "matrix/b matrix/c matrix/d matrix/b "
silent "a tree in order: circles of calls" circles_of_calls
silent "a tree in order: strangers" strangers
silent "a tree in order: headers in use" unused
silent "a tree in order: folders" crowded
silent "a tree in order: width" wide
header base/up.h core/io/low.h
header core/io/low.h
header src/solve/beside.h src/spmv/d.h
header lab/page/deep.h matrix/b.h
same "planted: upwards, beside, and below core" "$(against_order)" "$(printf '%s\n' 'base/up.h includes core/io/low.h' \
    'lab/page/deep.h includes matrix/b.h' 'src/solve/beside.h includes src/spmv/d.h')"
rm base/up.h src/solve/beside.h lab/page/deep.h
header matrix/ring.h matrix/b.h
same "planted: headers that nothing includes" "$(unused | xargs)" "core/io/low.h matrix/ring.h"
echo '#include "matrix/ring.h"' >>matrix/b.c
circles | grep -q 'matrix/ring'
verdict "planted: a circle by way of a .c file" $?
rm matrix/ring.h
sed -i 's/return n;/return n > 0 ? cgs_d() : n;/' matrix/c.c
circles_of_calls | grep -q 'matrix/c'
verdict "planted: a circle of calls that no include shows" $?
printf '%s\n' '#include "base/a.h"' 'int cgs_b(void);' 'int cgs_c(int n);' >matrix/b.h
printf 'int cgs_d(void);\nstatic inline int cgs_e(void)\n{\n    return cgs_d();\n}\n' >matrix/d_internal.h
same "planted: a prototype in the header of another source of its folder" "$(strangers)" 'matrix/b.h declares cgs_c of matrix/c'
printf 'int cgs_c(int n)\n{\n    return -n;\n}\n' >matrix/c_absent.c
same "planted: the same of a source with a stand-in" "$(strangers)" 'matrix/b.h declares cgs_c of matrix/c'
printf 'int cgs_c(int n)\n{\n    return 2 * n;\n}\n' >matrix/d.c
silent "a tree in order: a function that two sources define" strangers
rm matrix/[cd]*.[ch]
for ((i = 0; i <= most; i++)); do : >core/io/many$i.c; done
for ((i = 0; i <= most; i++)); do : >tests/base/many$i.sh; done
same "planted: too many tests in a folder" "$(crowded_tests)" "tests/base holds $((most + 1))"
mkdir solver
: >solver/new.c
same "planted: too many in a folder, and a new folder" "$(crowded | sort)" "$(printf '%s\n' "core/io holds $((most + 2))" 'solver has no row')"
printf '/* %099d\n *     %099d */\n%0100d\n' 0 0 0 >base/wide.c
same "planted: a line too long, beside a table and a full line" "$(wide)" 'base/wide.c:1 has 102 columns'
rm base/wide.c

echo "# The tree"
cd "$sources" || exit 1
[ "$(includes | wc -l)" -gt 500 ]
verdict "includes are found" $? "$(includes | wc -l)"
silent "includes follow the order of doc/architecture.md" against_order
silent "no circles" circles
[ "$(calls | wc -l)" -gt 1000 ]
verdict "calls are found" $? "$(calls | wc -l)"
silent "no circles of calls" circles_of_calls
silent "prototypes are in the headers of their sources" strangers
silent "headers are in use" unused
silent "each folder has a row, and at most $most sources" crowded
silent "each folder of tests/ has at most $most sources" crowded_tests
silent "lines have at most $width columns" wide

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
