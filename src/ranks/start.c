/* The start of ranks: whether there are others, and whether they are the same program with the same
 * arguments; else they would take different steps, and wait for each other for ever. */
#include <stdlib.h>

#include "base/random.h"
#include "src/ranks/ranks.h"

/* Variables of mpirun of Open MPI, of MPICH, of MVAPICH, and of srun. */
static const struct {
    const char *count, *rank;
} starters[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                {"PMI_SIZE", "PMI_RANK"},
                {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

/* Returns the place in that list of who started several processes; -1: nobody did. */
static int find_starter(void)
{
    for (int i = 0; i < (int)(sizeof starters / sizeof *starters); i++) {
        const char *count = getenv(starters[i].count);
        if (count && atoi(count) > 1)
            return i;
    }
    return -1;
}

bool cgs_ranks_started(void)
{
    return find_starter() >= 0;
}

int cgs_ranks_told_count(void)
{
    const int i = find_starter();
    return i < 0 ? 1 : atoi(getenv(starters[i].count));
}

int cgs_ranks_told_rank(void)
{
    const int i = find_starter();
    const char *rank = i < 0 ? NULL : getenv(starters[i].rank);
    return rank ? atoi(rank) : 0;
}

static uint64_t add_text(uint64_t hash, const char *text)
{
    for (; *text; text++)
        hash = cgs_splitmix64(hash ^ (unsigned char)*text);
    return cgs_splitmix64(hash ^ 0x100); /* an end that no letter is */
}

/* Returns the first rank whose number differs from rank 0's, or the number of ranks. */
static int first_other(struct cgs_context *context, uint64_t hash)
{
    struct cgs_comm *comm = context->comm;
    int counts[CGS_RANKS_MOST], other = comm->size;
    double halves[2 * CGS_RANKS_MOST];
    const double mine[2] = {(double)(hash >> 32), (double)(hash & UINT32_MAX)}; /* exact */
    for (int r = 0; r < comm->size; r++)
        counts[r] = 2;
    comm->ops->gather(comm, mine, counts, halves);
    for (int r = comm->size - 1; r > 0; r--)
        if (halves[2 * r] != halves[0] || halves[2 * r + 1] != halves[1])
            other = r;
    return other;
}

enum cgs_status cgs_ranks_compare(struct cgs_context *context, int argc, const char *const *argv,
                                  const char *build)
{
    uint64_t arguments = 0;
    if (!context->comm)
        return CGS_OK;
    for (int i = 1; i < argc; i++)
        arguments = add_text(arguments, argv[i]);
    const int builds = first_other(context, add_text(0, build));
    const int options = first_other(context, arguments);
    if (builds < context->comm->size)
        return cgs_fail(context, CGS_USAGE,
                        "rank %d is another build of cgsolve than rank 0: start the same program on "
                        "all hosts",
                        builds);
    if (options < context->comm->size)
        return cgs_fail(context, CGS_USAGE,
                        "rank %d has other options than rank 0: give the same to all", options);
    return CGS_OK;
}
