# shellcheck shell=bash
# tests/support/mpirun.bash: how ranks are started on one host, by Open MPI 4, Open MPI 5 and MPICH; sourced by tests,
# benches and tools. A rank knows its number as OMPI_COMM_WORLD_RANK, or from MPICH as PMI_RANK.
#
# mpirun then takes more ranks than processors, and root: Open MPI 4 knows OMPI_MCA_rmaps_..., Open MPI 5
# PRTE_MCA_rmaps_..., MPICH needs neither.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

# end_at_once: from here on ranks that are ended get no second to end by themselves.
end_at_once() {
    export OMPI_MCA_odls_base_sigkill_timeout=0 PRTE_MCA_odls_base_sigkill_timeout=0
}

# launch P COMMAND...: on P ranks, for $seconds at most where that is set.
launch() {
    timeout -k 5 "${seconds:-0}" mpirun -n "$@" </dev/null
}

# mpirun_says FILE RANK SIGNAL: mpirun's own words, in that file, are that the signal ended the rank. (Open MPI 5 breaks
# its lines; MPICH names no rank.)
mpirun_says() {
    tr '\n' ' ' <"$1" | grep -Eq "rank $2 with PID .* signal $3 |\(signal $3\)"
}

# launch_each COMMAND...: one rank for each of these lines of bash, which see exported variables alone. (Not by
# mpirun's own "-n 1 a : -n 1 b", on which that of Open MPI 5.0.7 crashes.)
launch_each() {
    # shellcheck disable=SC2016 # for the ranks
    launch $# bash -c 'shift "${OMPI_COMM_WORLD_RANK-$PMI_RANK}" && eval "$1"' rank "$@"
}
