/* libcgsolve_mpi: handles of libcgsolve that solve one system by the processes of an MPI
 * communicator.
 *
 *     #include <cgsolve/cgsolve_mpi.h>
 *
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
 *     ...
 *     if (cgsolve_create(&s) != CGSOLVE_OK ||
 *         cgsolve_communicator(s, communicator) != CGSOLVE_OK ||
 *         cgsolve_matrix_distributed(s, first, rows, nonzeros, pointers, columns, values) != CGSOLVE_OK ||
 *         cgsolve_solve(s, rows, b, x, NULL) != CGSOLVE_OK)
 *         fprintf(stderr, "%s\n", cgsolve_message());
 *     cgsolve_destroy(&s);
 *     MPI_Finalize();
 *
 * A whole program: examples/solve_mpi.c. Build: with $(pkg-config --cflags --libs cgsolve_mpi), or
 * CMake's find_package(cgsolve COMPONENTS MPI) and cgsolve::mpi. Both libraries are of one
 * installation, and this one of the MPI that the program uses.
 *
 * The library never initialises or finalises MPI, never speaks on MPI_COMM_WORLD or on the caller's
 * communicator, but on a duplicate, starts no thread that calls MPI, and ends no process. Where a
 * call of MPI fails on the duplicate, the call of the library returns CGSOLVE_LOST; other ranks may
 * then wait for this one, so that the caller should end all (MPI_Abort). Whether MPI returns from a
 * failure is up to MPI.
 */
#ifndef CGSOLVE_CGSOLVE_MPI_H
#define CGSOLVE_CGSOLVE_MPI_H

#include <mpi.h>

#include <cgsolve/cgsolve.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the ranks of `communicator` those of the handle, in the place of others; all of them
 * call this together, and later cgsolve_destroy, too. It is duplicated, and may be freed at
 * once; the duplicate is freed with the handle, unless MPI has been finalised before. The
 * handle's options stay, its matrix is forgotten. One rank alone is as a handle without a
 * communicator. Handles of several communicators, also of some of the same processes, may take
 * turns. MPI_Init_thread with MPI_THREAD_FUNNELED is enough, and then calls of one thread;
 * MPI_Init itself, for handles whose option `threads` is 1 (or OMP_NUM_THREADS). CGSOLVE_USAGE:
 * the handle is NULL or in use; MPI is not initialised, or finalised; MPI_COMM_NULL, an
 * intercommunicator, more than 1024 ranks; another thread than MPI allows; libraries of
 * different builds. CGSOLVE_MEMORY: on all ranks. CGSOLVE_LOST: MPI cannot duplicate it. The
 * handle is as before then. */
enum cgsolve_status cgsolve_communicator(struct cgsolve *solver, MPI_Comm communicator);

#ifdef __cplusplus
}
#endif

#endif
