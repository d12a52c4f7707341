#!/usr/bin/env bash
# tests/exercise/cage.sh: what compiles a submission is contained (kernels/plugin/contain.h). Hostile sources read no file
# of others and leave nothing behind, and none takes more than a gigabyte. Then what headers a user's own kernel may
# include, names of files that would be options or commands, and a compiler that does not end.
#
# What needs Landlock is skipped without it, with a word.
set -u

# shellcheck source=tests/support/user_kernels.bash
. "$(dirname "$0")/../support/user_kernels.bash"
unset CGSOLVE_CONTAIN
model=$sources/exercises/sort/model.c
if [ ! -f "$model" ]; then
    echo "skipped: no exercises beside the tests"
    exit 77
fi
mkdir -p home class/ann class/ben other
echo 'int SECRET;' >home/notes.txt
cp home/notes.txt home/notes.h
cp home/notes.txt other/notes.h
cp home/notes.txt "$TMPDIR/notes.h"
cp "$model" class/ben/sort.c
cp "$model" class/ann/flat.c
cp "$model" class/ann/flat.h
export CGSOLVE_TEST=part=0.02,battery=0 XDG_STATE_HOME=/dev/null HOME=$work/home OMP_NUM_THREADS=2
export CPATH=$work/home C_INCLUDE_PATH=$work/home GREETING=SECRET
notes=$work/home/notes.txt
timed=()
[ ! -x /usr/bin/time ] || timed=(/usr/bin/time -o peak -f %M)

# check FILE: judges it, with a secret as its standard input.
check() {
    timeout 120 "${timed[@]}" "$cgsolve" exercise check --untimed --json=f.json "$1" >out 2>err <home/notes.txt
}

# contained NAME STATUS...: the last file was judged with one of these; it read and left nothing.
contained() {
    local name=$1 status=$? expected left
    shift
    left=$(find "$TMPDIR" -mindepth 1 ! -name notes.h)
    for expected in "$@"; do
        [ $status != "$expected" ] || expected=
        [ -n "$expected" ] || break
    done
    [ -z "$expected" ] && [ -z "$left" ] && ! grep -qai secret out err f.json &&
        { [ ${#timed[@]} = 0 ] || [ "$(tail -n 1 peak)" -le 1048576 ]; }
    verdict "$name" $? "status $status, $(tail -n 1 peak 2>/dev/null) kB, left: $left; $(value reason f.json)"
    rm -f f.json
}

# hostile NAME STATUSES SOURCE [alone]: judges the source, followed by the model solution unless it is to be alone.
hostile() {
    { echo '/* cgsolve exercise: sort */' && echo "$3" && { [ -n "${4-}" ] || cat "$model"; }; } >class/ann/sort.c
    check class/ann/sort.c
    # shellcheck disable=SC2086 # words
    contained "$1" $2
}

"$cgsolve" spmv --backend=cpu --N=4 --repeat=2 --kernel=k/sell.c --json=f.json >out 2>err
lacks=$(value uncontained f.json)
hostile 'nothing hostile' 0 ''

echo "# Files of others"
if [[ "$lacks" != *Landlock* ]]; then
    hostile "another's, by its path" 4 "#include \"$work/class/ben/sort.c\"" alone
    CGSOLVE_CONTAIN=0 check class/ann/sort.c
    same 'which is right without containment' $? 0
    hostile 'notes' 4 "#include \"$notes\""
    hostile 'notes, between <>' 4 "#include <$notes>"
    hostile 'notes, by a macro' 4 "#define FILE_OF_OTHERS \"$notes\"
#include FILE_OF_OTHERS"
    hostile 'notes, imported' 4 "#import \"$notes\""
    hostile 'notes, by CPATH' 4 '#include <notes.h>'
    hostile 'the next notes' 4 '#include_next <notes.h>'
    hostile 'notes in TMPDIR' 4 "#include \"$TMPDIR/notes.h\""
    hostile 'notes that are there' '0 4' "#if __has_include(\"$notes\")
#include \"$notes\"
#endif"
    hostile 'notes as bytes' 4 "__asm__(\".incbin \\\"$notes\\\"\");"
    hostile 'notes as bytes of the library' 4 "__asm__(\".section .rodata\\n.globl words\\nwords: .incbin \\\"$notes\\\", 0, 4\\n.text\");"
    hostile 'notes as assembly' 4 "__asm__(\".include \\\"$notes\\\"\");"
    hostile 'notes in a macro of the assembler' 4 "__asm__(\".macro m name\\n.incbin \\\"\\\\name\\\"\\n.endm\\nm $notes\");"
    hostile 'notes as a dependency' '0 4' "#pragma GCC dependency \"$notes\" of others"
    hostile 'notes embedded' 4 "const char words[] = {
#embed \"$notes\"
};"
    hostile 'notes precompiled' '0 4' "#pragma GCC pch_preprocess \"$notes\""
    hostile 'accounts' 4 '#include "/etc/passwd"'
    hostile 'the environment' 4 '#include "/proc/self/environ"'
    hostile 'the environment of the first process' 4 '#include "/proc/1/environ"'
    hostile 'its own memory' 4 '#include "/proc/self/maps"'
    hostile 'notes, by the root of a process' 4 "#include \"/proc/self/root$notes\""
    hostile 'notes, by a folder of a process' 4 '#include "/proc/self/cwd/../../home/notes.txt"'
    hostile 'zeros' 4 '#include "/dev/zero"'
    hostile 'zeros as bytes' 4 '__asm__(".incbin \"/dev/zero\"");'
    hostile 'random bytes' 4 '#include "/dev/urandom"'
    hostile 'a disk' 4 '#include "/dev/mem"'
    hostile 'what no header of the system is' 4 '#include "/sys/kernel/notes"'
else
    echo "skipped: no Landlock here"
fi
hostile "another's, beside its own folder" 4 '#include "../ben/sort.c"' alone
hostile 'a file beside it' 4 '#include "flat.c"' alone
hostile 'a header beside it' 4 '#include "flat.h"' alone
hostile "another's, as bytes" 4 '__asm__(".incbin \"../ben/sort.c\"");'
hostile 'standard input' '0 4' '#include "/dev/stdin"'
hostile 'the first descriptor' '0 4' '#include "/dev/fd/0"'
hostile 'a folder' 4 '#include "."'
hostile 'files made by its compiler' '0 4' '#include "said"'

echo "# Memory, disk, time"
hostile 'a macro bomb' 4 '#define A(x) x x x x x x x x x x
#define B(x) A(A(A(A(A(A(A(A(x))))))))
int numbers[] = {B(B(1 +))};'
hostile 'a string bomb' 4 '#define A(x) x x x x x x x x x x
const char *words = A(A(A(A(A(A(A(A("0123456789"))))))));'
hostile '3 GB of numbers' 4 'char large[3000000000] = {1};'
hostile '300 GB of zeros' '2 4' 'char large[300000000000];'
hostile '3 GB of space' 4 '__asm__(".space 3000000000");'
hostile '3 GB of space, and a number' 4 '__asm__(".data\n.fill 3000000000, 1, 7\n.text");'
hostile 'a place far away' 4 '__asm__(".org 0x7ffffff0\n.byte 1");'
hostile 'bytes again and again' 4 '__asm__(".data\n.rept 2000000000\n.byte 1\n.endr\n.text");'
hostile 'a macro of the assembler that calls itself' 4 '__asm__(".macro m\nm\nm\n.endm\nm");'
hostile 'itself' 4 '#include __FILE__'
hostile 'errors without end' 4 '#define A(x) x x x x x x x x x x
#define B(x) A(A(A(A(x))))
B(; ] })'
if ! "$cgsolve" --version | grep -q -- -fsanitize; then # the address space of a sanitizer has no limit
    hostile 'memory when it is loaded' '2 4' '#include <stdlib.h>
#include <string.h>
__attribute__((constructor)) static void take(void)
{
    for (char *volatile p; (p = malloc(1 << 24)) != NULL;)
        memset(p, 1, 1 << 24);
    abort();
}'
    hostile 'memory when it is loaded, and kept' 2 '#include <stdlib.h>
__attribute__((constructor)) static void take(void)
{
    for (size_t size = 1 << 24; size > 8; size /= 2)
        for (void *volatile p; (p = malloc(size)) != NULL;)
            ;
}'
fi

echo "# Pages of a class"
printf '/* cgsolve exercise: sort */\n__asm__(".include \\"%s\\"");\n' "$notes" >class/ann/sort.c
printf '/* cgsolve exercise: sort */\n#include "../ben/sort.c"\n' >class/ann/copied.c
rm class/ann/flat.*
"$cgsolve" grade class --csv=marks.csv --pages=pages --untimed --jobs=1 >out 2>err
same 'ben alone is right' "$(cut -d, -f1,4 marks.csv | tail -n +2 | paste -sd' ')" '"ann","broken" "ann","broken" "ben","right"'
[ "$(grep -rli 'int secret' pages marks.csv out err)" = '' ] || [[ "$lacks" == *Landlock* ]]
verdict 'no page has read the notes' $?

echo "# A kernel of one's own"
mkdir -p own/include own/src
{ echo '#include "beside.h"' && echo '#include "../above.h"' && cat "$sources/tests/user_kernels/sell.c"; } >own/src/mine.c
sed -i "s|\"user_kernel.h\"|\"$sources/tests/user_kernels/user_kernel.h\"|" own/src/mine.c
cp "$sources/tests/user_kernels/user_kernel.h" own/src/user_kernel.h
sed -i "s|\"$sources/tests/user_kernels/user_kernel.h\"|\"user_kernel.h\"|" own/src/mine.c
echo 'int beside;' >own/src/beside.h
echo 'int above;' >own/above.h
timeout 120 "$cgsolve" spmv --backend=cpu --N=4 --repeat=2 --kernel=own/src/mine.c >out 2>err
same 'headers beside it and above' $? 0
if [[ "$lacks" != *Landlock* ]]; then
    echo 'int SECRET;' >own/src/notes.txt
    for line in '#include "notes.txt"' "#include \"$notes\"" '__asm__(".incbin \"/dev/zero\"");'; do
        echo "$line" >own/src/other.c
        timeout 120 "$cgsolve" spmv --backend=cpu --N=4 --repeat=2 --kernel=own/src/other.c >out 2>err
        [ $? = 4 ] && ! grep -qi secret out err
        verdict "not $line" $? "$(head -n 3 err)"
    done
fi

echo "# Names"
mkdir names
# shellcheck disable=SC2016 # a command that is not to be run
for name in -o.c @file.c 'a b.c' '$(touch made).c' "it's;touch made;.c" $'\xff\n".c'; do
    cp "$model" "names/$name"
    (cd names && "$cgsolve" exercise check --untimed --json=../f.json -- "$name" >../out 2>../err </dev/null)
    contained "'$name'" 0
done
[ "$(find . -name 'made*')" = '' ]
verdict 'no name is a command' $?
ln -s "$model" names/link.c
check names/link.c
contained 'a link' 0

echo "# A compiler that does not end"
export CGSOLVE_TEST=part=0.02,battery=0,seconds=0.2,starved=0
hostile 'is broken' 4 '#if __INCLUDE_LEVEL__ < 100
#include __FILE__
#include __FILE__
#endif'
grep -q 'took longer than 1.2 s' out
verdict 'and says why' $? "$(cat out)"
CGSOLVE_TEST=starved=1,$CGSOLVE_TEST check class/ann/sort.c
[[ "$(value state f.json) $(value reason f.json)" == 'unjudged '*' and was ended: the machine was busy' ]]
verdict 'is unjudged if the compiler had no processor' $? "$(cat out err)"
rm -r class/ben class/ann/[!s]* 2>/dev/null
sed -i '1s/sort/product/' class/ann/sort.c # another process judges a kernel
"$cgsolve" grade class --csv=slow.csv --untimed >out 2>err
same 'graded: exit status' $? 0
grep -q '"broken",0,100,,.*took longer than 1.2 s' slow.csv
verdict 'graded: it is broken' $? "$(tail -n 1 slow.csv)"
"$cgsolve" grade class --csv=slow.csv --untimed --resume >out 2>err
grep -q '1 of 1 files are judged already' err
verdict 'graded: and is not judged again' $? "$(head -n 2 err)"
CGSOLVE_CONTAIN=seccomp,limits "$cgsolve" grade class --csv=slow.csv --untimed --resume --pages=open >out 2>err
grep -q 'without Landlock: what was judged' out && grep -q 'without Landlock' open/index.html
verdict 'graded: and a machine without Landlock is said to be one' $? "$(tail -n 1 out)"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
