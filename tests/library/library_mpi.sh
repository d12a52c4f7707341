#!/usr/bin/env bash
# tests/library/library_mpi.sh: libcgsolve_mpi as its clients meet it, under mpirun: client_mpi.c, which looks at every
# call of MPI that the library makes, and examples/solve_mpi.c. Built against the library of this build. Skipped without
# mpirun, a compiler, or where there is no MPI in this build. (make installcheck: the installed one.)
set -u

# shellcheck source=tests/cli/cli.bash
. "$(dirname "$0")/../cli/cli.bash"
# shellcheck source=tests/cli/ranks.bash
. "$sources/tests/cli/ranks.bash"
cc=$(sed -n 's/^CC = //p' "$build/Makefile" 2>/dev/null)
if [ -z "$cc" ] || [ ! -f "$build/libcgsolve_mpi.la" ] || ! command -v pkg-config >/dev/null; then
    echo "skipped: no compiler or library here"
    exit 77
fi
read -ra compile <<<"$cc $(sed -n 's/^CGS_INSTRUMENT = //p' "$build/Makefile")"
export PKG_CONFIG_PATH=$build${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
read -ra libraries < <(pkg-config --define-variable=libdir="$build/.libs" --cflags --libs cgsolve_mpi)
export LD_LIBRARY_PATH="$build/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

# builds NAME FILE: compiles and links a client.
builds() {
    "${compile[@]}" -std=gnu17 -O1 -Wall -Wextra -Werror -I"$sources/include" -o "$1" "$2" "${libraries[@]}" -lm -lpthread 2>err
    verdict "$1 builds" $? "$(head -n 3 err)"
}

# plays P SCENARIO: the client does, on P ranks.
plays() {
    launch "$1" ./client_mpi "$2" >out 2>err && silent
    verdict "$2 on $1 ranks" $? "$(grep -m 2 -e '^rank' -e runtime -e Sanitizer err)"
}

builds client_mpi "$sources/tests/library/client_mpi.c"
if [ -x client_mpi ]; then
    for scenario in bits cycles two errors lost box late one_thread thread threads; do
        plays 2 $scenario
    done
    [ "$instrumented" = yes ] || plays 3 bits # whose start takes ten seconds
    plays 1 bits
    plays 5 two
    ! launch 2 ./client_mpi nonsense >out 2>err
    verdict "a scenario that there is not" $?
fi

builds solve_mpi "$sources/examples/solve_mpi.c"
./solve_mpi >one.out 2>err
verdict "solve_mpi by itself" $? "$(head -n 1 err)"
grep -q '^u(1/2, 1/2) = 0.0736[0-9]* after [0-9]* iterations, in a part of 3969 rows$' one.out
verdict "solve_mpi: u(1/2, 1/2)" $? "$(cat one.out)"
for count in 2 3; do
    launch $count ./solve_mpi >many.out 2>err
    verdict "solve_mpi on $count ranks" $? "$(head -n 1 err)"
    same "the digits of one process" "$(sed 's/,.*//' many.out)" "$(sed 's/,.*//' one.out)"
done

# Needs of the libraries: libcgsolve no MPI, and neither shows more than its functions.
if [ -e "$build/.libs/libcgsolve_mpi.so" ] && command -v ldd >/dev/null && command -v nm >/dev/null; then
    ! ldd "$build/.libs/libcgsolve.so" | grep -q libmpi
    verdict "libcgsolve.so needs no MPI" $?
    same "libcgsolve_mpi.so shows" "$(nm -D --defined-only "$build/.libs/libcgsolve_mpi.so" | sed 's/.* //')" cgsolve_communicator
    same "libcgsolve_mpi.so wants of libcgsolve" \
        "$(nm -D --undefined-only "$build/.libs/libcgsolve_mpi.so" | grep -o 'cgs.*')" cgsolve_join_ranks
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
