#!/usr/bin/env bash
# tests/cli/ranks_files.sh: files on several ranks (doc/clusters.md), each of which reads a part. Histories are
# those of one process, to the bit, and so are the messages on files that are wrong, which come once. Skipped
# without mpirun, or where the program has no MPI.
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/cli.bash"
# shellcheck source=tests/cli/ranks.bash
. "$sources/tests/cli/ranks.bash"

# saved FILE: a file of --save-matrix, without the line that has the time.
saved() { grep -v '^% ' "$1"; }

# equals P ARGUMENT...: the history on P ranks is that of one process, and so is the matrix that is saved.
equals() {
    local got
    "$cgsolve" --backend=cpu "${@:2}" --history=one.csv --json=one.json --save-matrix=one.mtx >out 2>err ||
        verdict "one process: ${*:2}" 1 "$(head -n 1 err)"
    rm -f many.csv many.mtx
    ranks "$1" "${@:2}" --history=many.csv --json=many.json --save-matrix=many.mtx
    got=$?
    [ $got = 0 ] && cmp -s one.csv many.csv && cmp -s <(saved one.mtx) <(saved many.mtx)
    verdict "$1 ranks: ${*:2}" $? "exit status $got; $(grep -m 1 cgsolve: err)"
}

# says P ARGUMENT...: P ranks end as one process does, with the same message, once.
says() {
    local one many status
    "$cgsolve" --backend=cpu "${@:2}" >out 2>err
    status=$?
    one=$(grep '^cgsolve: ' err)
    ranks "$1" "${@:2}"
    many=$?
    [ $many = $status ] && [ "$(grep '^cgsolve: ' err)" = "$one" ]
    verdict "$1 ranks say: ${one:0:100}" $? "exit status $many, not $status; $(grep -m 2 cgsolve: err)"
}

export CUDA_VISIBLE_DEVICES= # ranks would take a GPU each
by_mpirun=no

echo "# Histories"
"$cgsolve" --N=7 --deform=0.1 --save-matrix=box.mtx --json=box.json >out 2>err
# Both triangles in random order; entries that are added; packed; an array.
awk 'BEGIN { srand(7) } /^%/ { next } !n { n = $1; next }
     { print rand(), $1, $2, $3 / 3; print rand(), $1, $2, $3 / 7
       if ($1 != $2) { print rand(), $2, $1, $3 / 3; print rand(), $2, $1, $3 / 7 } }' box.mtx | sort -n |
    awk '{ line[NR] = $2 " " $3 " " $4 }
         END { print "%%MatrixMarket matrix coordinate real general\n343 343 " NR
               for (i = 1; i <= NR; i++) print line[i] }' >shuffled.mtx
gzip -c box.mtx >box.mtx.gz
# Entries below the diagonal off by up to 1e-11, and small ones without a mirror image.
awk 'NR == 1 { print; next } NR == 2 { n = $1; print $1, $2, $3 + 20; next }
     { print $1, $2, ($1 > $2 ? $3 * (1 + $1 % 7 * 1e-12) : $3) }
     END { for (i = 1; i <= 20; i++) print i, n + 1 - i, i * 1e-13 }' shuffled.mtx >rounded.mtx
{
    printf '%%%%MatrixMarket matrix array real symmetric\n96 96\n'
    for ((j = 1; j <= 96; j++)); do
        for ((i = j; i <= 96; i++)); do
            if ((i == j)); then echo 97; else echo "-.$((i * j % 10))"; fi
        done
    done
} >array.mtx
equals 2 --matrix=box.mtx --kernel=crs_row
equals 7 --matrix=box.mtx --kernel=sell_chunk --precond=chebyshev
equals 4 --matrix=shuffled.mtx --kernel=crs_row --precision=single
equals 3 --matrix=rounded.mtx --kernel=crs_row
grep -q 'symmetric except for rounding' many.json && cmp -s <(grep 'except for rounding' one.json) <(grep 'except for rounding' many.json)
verdict '3 ranks: the same note' $?
equals 3 --matrix=box.mtx.gz --kernel=crs_row --precision=mixed
equals 3 --matrix=array.mtx --kernel=crs_row
equals 2 --matrix="$systems/mesh1e1.mtx" --kernel=crs_row --rhs=ones
# box.mtx as a Harwell-Boeing file: its rows of the lower triangle are columns of the upper one.
awk '/^%/ { next } !n { n = $1; count = $3; next } { row[++k] = $2; value[k] = $3; of[$1]++ }
     END { print "Box"; print 4, n + 1, count, count, 0; print "RSA", n, n, count, 0; print "(I9) (I9) (E26.17)"
           print first = 1; for (j = 1; j <= n; j++) print first += of[j]
           for (i = 1; i <= count; i++) print row[i]; for (i = 1; i <= count; i++) printf "%.17e\n", value[i] }' box.mtx >box.rsa
equals 3 --matrix=box.rsa --kernel=crs_row
if find_python scipy.sparse; then
    "$python" -c "import scipy.io as i, scipy.sparse as s; s.save_npz('box.npz', s.csc_array(i.mmread('box.mtx')))"
    equals 2 --matrix=box.npz --kernel=crs_row
fi
{ printf '%%%%MatrixMarket matrix array real general\n343 1\n'; seq 1 343; } >b.mtx
equals 4 --matrix=box.mtx --kernel=crs_row --rhs=b.mtx
seq 1 343 >b.txt
equals 3 --matrix=box.mtx --kernel=crs_row --rhs=b.txt

# Rows 0 and 9000 have 18 000 entries each, more than a piece of crs_merge.
awk 'BEGIN { n = 18000; print "%%MatrixMarket matrix coordinate real symmetric\n" n, n, 4 * n - 8
    for (i = 1; i <= n; i++) {
        print i, i, i == 1 || i == 9001 ? 300 : 2.5
        if (i > 1) print i, 1, -1 / (i % 97 + 60)
        if (i > 1 && i != 9001) print (i > 9001 ? i : 9001), (i > 9001 ? 9001 : i), 1 / (i % 89 + 70)
        if (i > 2 && i < n && i != 9000 && i != 9001) print i + 1, i, -.7
    } }' >arrow.mtx
equals 3 --matrix=arrow.mtx --kernel=crs_merge --precond=jacobi

# Near-null vectors: the same grids; nodes of three rows are whole on each rank.
# shellcheck source=tests/cli/body.bash
. "$sources/tests/cli/body.bash"
for count in 2 3 7; do
    equals $count --matrix=body.mtx --kernel=crs_row --precond=amg --coordinates=points.mtx
    same "$count ranks: nodes" "$(grep -c '"nodes": 729' many.json)$(value block many.json)" 13
done
equals 3 --matrix=body.mtx --kernel=crs_row --precond=amg --near-null=shifts.mtx --block=1
equals 3 --matrix=body.mtx --kernel=crs_row --precond=amg --adaptive=6
says 3 --matrix=body.mtx --kernel=crs_row --precond=amg --near-null=nowhere.mtx
{ printf '%%%%MatrixMarket matrix array real general\n2187 2\n'; yes 0 | head -n 2187; yes 1 | head -n 2187; } >zeros.mtx
says 3 --matrix=body.mtx --kernel=crs_row --precond=amg --near-null=zeros.mtx
says 3 --matrix=body.mtx --kernel=crs_row --precond=amg --coordinates=zeros.mtx
says 3 --matrix=body.mtx --kernel=crs_row --precond=amg --near-null=shifts.mtx --block=2

# Another order of sums: the same system, solved as well.
"$cgsolve" --backend=cpu --matrix=arrow.mtx --kernel=crs_librsb --precond=jacobi --json=one.json >out 2>err
got=$?
if [ $got = 6 ] && grep -q librsb err; then
    echo "left out: there is no librsb"
else
    ranks 3 --matrix=arrow.mtx --kernel=crs_librsb --precond=jacobi --json=many.json
    same "crs_librsb on 3 ranks" "$got:$?" 0:0
    more=$(($(value iterations many.json) - $(value iterations one.json)))
    [ ${more#-} -le 2 ]
    verdict "crs_librsb: as many iterations as one process, or two more or less" $? "$more more"
fi

echo "# Facts"
equals 3 --matrix=shuffled.mtx --kernel=crs_row --precond=jacobi
for key in entries_in_file duplicates explicit_zeros bytes_read nonzeros stored longest; do
    same "$key is that of one process" "$(value $key many.json)" "$(value $key one.json)"
done

# by WORD LIBRARY: rows cut by a partitioner: the same history twice, and the facts of the file's order.
by() {
    local key got
    ranks 3 --matrix=shuffled.mtx --kernel=crs_row --precond=jacobi --partition="$1" --history=first.csv
    got=$?
    if [ $got = 6 ] && grep -q "$2.* was not found; its package is" err; then
        echo "left out: there is no $2"
        return
    fi
    ranks 3 --matrix=shuffled.mtx --kernel=crs_row --precond=jacobi --partition="$1" --history=again.csv \
        --json=again.json --save-matrix=again.mtx
    [ "$got:$?" = 0:0 ] && cmp -s first.csv again.csv
    verdict "$1: the same history twice" $? "exit status $got; $(grep -m 1 cgsolve: err)"
    same "$1: edges in the file's order" "$(value edges_cut_contiguous again.json)" "$(value edges_cut many.json)"
    same "$1: halo in the file's order" "$(value halo_bytes_contiguous again.json)" "$(value halo_bytes many.json)"
    cmp -s <(saved one.mtx) <(saved again.mtx)
    verdict "$1: the matrix is saved in the file's order" $?
    for key in entries_in_file nonzeros iterations; do
        same "$1: $key is that of one process" "$(value $key again.json)" "$(value $key one.json)"
    done
}

echo "# METIS and Scotch"
ranks 2 --N=7 --partition=metis
fails 1 '--partition of the box does not work on several ranks yet: take contiguous' "a partition of the box"
leaks_too by metis libmetis
by scotch libscotch
equals 1 --matrix=box.mtx --kernel=crs_row --partition=metis

by_mpirun=yes
echo "# A kernel of one's own"
if command -v cc >/dev/null; then
    cp "$sources/examples/crs_kernel.c" "$sources"/tests/user_kernels/{user_kernel.h,sell.c,syntax.c} .
    equals 2 --matrix=box.mtx --kernel=./crs_kernel.c --precond=jacobi
    equals 3 --matrix=shuffled.mtx --kernel=./sell.c
    says 2 --matrix=box.mtx --kernel=./syntax.c
    cat >leaves.c <<'END'
#include "user_kernel.h"
USER_APPLY
{
    static int count;
    const char *rank = getenv(getenv("PMI_RANK") ? "PMI_RANK" : "OMPI_COMM_WORLD_RANK");
    (void)self, (void)stream;
    if (++count == 12 && rank && rank[0] == '1')
        exit(0);
    user_rows(A, x, y, 0, A->rows);
    return 0;
}
USER_KERNEL("leaves")
END
    ranks 3 --matrix=box.mtx --kernel=./leaves.c --json=leaves.json
    ended=$?
    [ $ended != 9 ] || ended=2 # MPICH's mpirun says how it has ended the others
    (exit $ended)
    fails 2 "kernel './leaves.c' ended its process by exit.0. in its 12th product: .* .rank 1.$" "a kernel that leaves a rank"
    # Right on one process. On several it is wrong by little: in what a rank's last row takes of a neighbour's unknown, in
    # a row of each rank but the first, or in one of its products.
    cat >hidden.c <<'END'
#include "user_kernel.h"
USER_APPLY
{
    static int count;
    const char *how = user_test("wrong");
    const int64_t last = A->rows - 1, highest = A->pointers[A->rows] - 1;
    const int is_now = !user_test("at") || count + 1 == user_at(1), others = A->columns > A->rows;
    const int first = ((const double *)A->values)[0] > 0; /* else row 0 begins with a neighbour's column */
    (void)self, (void)stream;
    count++;
    user_rows(A, x, y, 0, A->rows);
    if (others && is_now && !strncmp(how, "unknown", 7) && first)
        ((double *)y)[last] += 1e-6 * ((const double *)x)[A->column[highest]];
    if (others && is_now && !strncmp(how, "row", 3) && !first)
        ((double *)y)[A->rows / 2] *= 1 + 1e-9;
    if (others && is_now && !strncmp(how, "product", 7))
        ((double *)y)[0] *= 1 + 1e-9;
    return 0;
}
USER_KERNEL("hidden")
END
    CGSOLVE_TEST=${CGSOLVE_TEST-},wrong=product ranks 1 --matrix=box.mtx --kernel=./hidden.c
    same "a kernel that is wrong on ranks alone: on one" $? 0
    for wrong in unknown row product; do
        CGSOLVE_TEST=${CGSOLVE_TEST-},wrong=$wrong ranks 3 --matrix=box.mtx --kernel=./hidden.c
        fails 2 ".*row [0-9]+ of [0-9]+ .*verified before the solve" "a kernel that is wrong on ranks alone: $wrong"
    done
    for product in 5 8; do # the first input again, consecutive products
        CGSOLVE_TEST=${CGSOLVE_TEST-},wrong=product,at=$product ranks 2 --matrix=box.mtx --kernel=./hidden.c
        fails 2 ".*verified before the solve" "a kernel whose product $product is wrong on ranks alone"
    done
else
    echo "left out: there is no cc"
fi

by_mpirun=no
echo "# Messages"
sed '900s/ [^ ]*$/ nothing/; 700s/ [^ ]*$/ 1e999/' shuffled.mtx >wrong.mtx
says 3 --matrix=wrong.mtx
head -n 1500 shuffled.mtx >short.mtx
says 2 --matrix=short.mtx
{ cat box.mtx; echo "1 2 0"; } >long.mtx
says 4 --matrix=long.mtx
head -c 4000 box.mtx.gz >cut.mtx.gz
says 2 --matrix=cut.mtx.gz
awk 'NR > 4 && $1 == 200 && $2 == 201 { $3 = 5 } { print }' shuffled.mtx >unsymmetric.mtx
says 3 --matrix=unsymmetric.mtx
awk 'NR > 2 && $1 == 343 && $2 == 343 { $3 = -$3 } { print }' shuffled.mtx >negative.mtx
says 2 --matrix=negative.mtx
says 2 --matrix=nowhere.mtx
sed '400s/.*/   344/' box.rsa >wrong.rsa
says 3 --matrix=wrong.rsa
says 2 --matrix=box.mtx --rhs=wrong.mtx

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
