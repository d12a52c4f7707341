# shellcheck shell=bash
# tests/cli/ranks.bash: cgsolve under mpirun, for scripts that have sourced cli.bash. Ends the script, as skipped,
# where mpirun cannot start two processes, or the program has no MPI.
# shellcheck disable=SC2154 # cgsolve: of cli.bash
# shellcheck source=tests/cli/ranks_verdicts.bash
. "$(dirname "${BASH_SOURCE[0]}")/ranks_verdicts.bash"

if "$cgsolve" --version | grep -q '^MPI *not built in'; then
    echo "skipped: this cgsolve has no MPI"
    exit 77
fi
if ! command -v mpirun >/dev/null; then
    echo "skipped: there is no mpirun"
    exit 77
fi
# shellcheck source=tests/support/mpirun.bash
. "$(dirname "${BASH_SOURCE[0]}")/../support/mpirun.bash"
# In containers, too, and several on a processor; without a look for networks, which takes longer than most of
# these runs.
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
export OMP_NUM_THREADS=1
# Memory that Open MPI never frees is no leak of ours, but telling them apart takes whole stacks of all that is
# allocated, and ten times as long as all else: leaks are looked for where a script says so.
export LSAN_OPTIONS=suppressions=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")/tests/support/openmpi.lsan:print_suppressions=0
export ASAN_OPTIONS=detect_leaks=0:${ASAN_OPTIONS-}

# leaks_too COMMAND...: looks for leaks as well, under the address sanitizer.
leaks_too() {
    ASAN_OPTIONS=fast_unwind_on_malloc=0:${ASAN_OPTIONS/detect_leaks=0/} "$@"
}

seconds=300 # a guard; where others have the processors a run of seconds takes minutes
if ! launch 2 true >out 2>err; then
    echo "skipped: mpirun cannot start two processes here: $(head -n 1 err)"
    exit 77
fi

# ranks P ARGUMENT...: runs on P ranks; what they said is in out and err. mpirun starts them, which takes longer than
# most of these runs, or, where MPI is no matter and a script has set by_mpirun=no, the program itself.
by_mpirun=yes
ranks() {
    if [ $by_mpirun = yes ]; then
        launch "$1" "$cgsolve" "${@:2}" >out 2>err
    else
        CGSOLVE_RANKS=$1 timeout -k 5 "$seconds" "$cgsolve" "${@:2}" >out 2>err </dev/null
    fi
}
