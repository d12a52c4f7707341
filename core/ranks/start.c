/* The start of ranks: whether there are others, and whether they are the same program with the
 * same arguments and files; else they would take different steps, and wait for each other for
 * ever, or solve parts of different systems. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/random.h"
#include "core/ranks/start.h"

/* Samples of a file that are compared, and bytes of each. */
enum { SAMPLES = 64, BYTES = 4096 };

/* Variables of mpirun of Open MPI, of MPICH, of MVAPICH, and of srun. */
static const struct {
    const char *count, *rank;
} starters[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                {"PMI_SIZE", "PMI_RANK"},
                {"MV2_COMM_WORLD_SIZE", "MV2_COMM_WORLD_RANK"},
                {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

/* Returns the index in `starters` of the launcher that started several processes; -1: none did. */
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

/* Returns the first rank whose number differs from rank 0's, or the number of ranks. Ranks whose
 * number is 0 are not compared. */
static int first_other(struct cgs_context *context, uint64_t hash)
{
    struct cgs_comm *comm = context->comm;
    int counts[CGS_RANKS_MOST], other = comm->size;
    double halves[2 * CGS_RANKS_MOST];
    const double mine[2] = {(double)(hash >> 32), (double)(hash & UINT32_MAX)}; /* exact */
    for (int r = 0; r < comm->size; r++)
        counts[r] = 2;
    comm->ops->gather(comm, mine, counts, halves);
    for (int r = comm->size - 1; r > 0; r--) {
        const double *its = halves + 2 * (size_t)r;
        if ((its[0] != 0.0 || its[1] != 0.0) && (its[0] != halves[0] || its[1] != halves[1]))
            other = r;
    }
    return halves[0] == 0.0 && halves[1] == 0.0 ? comm->size : other;
}

enum cgs_status cgs_ranks_compare(struct cgs_context *context, int argc, const char *const *argv,
                                  const char *build)
{
    uint64_t arguments = 0;
    if (!context->comm)
        return CGS_OK;
    for (int i = 1; i < argc && context->status == CGS_OK;
         i++) /* a rank that has failed says why itself */
        arguments = add_text(arguments, argv[i]);
    const char *part = getenv("CGSOLVE_TEST");
    const int builds = first_other(context, add_text(0, build));
    const int options = first_other(context, arguments);
    const int parts = first_other(context, add_text(1, part ? part : ""));
    if (builds < context->comm->size)
        return cgs_fail(
            context, CGS_USAGE,
            "rank %d is another build of cgsolve than rank 0: start the same program on "
            "all hosts",
            builds);
    if (options < context->comm->size)
        return cgs_fail(context, CGS_USAGE,
                        "rank %d has other options than rank 0: give the same to all", options);
    if (parts < context->comm->size)
        return cgs_fail(
            context, CGS_USAGE,
            "rank %d has another CGSOLVE_TEST than rank 0: give the same to all (Open MPI: "
            "mpirun -x CGSOLVE_TEST)",
            parts);
    return CGS_OK;
}

/* Returns where sample i begins, the last one at `last`; the products of sizes so stay in range. */
static int64_t sample_offset(int64_t last, int i)
{
    return last / (SAMPLES - 1) * i + last % (SAMPLES - 1) * i / (SAMPLES - 1);
}

/* Returns a number of the file's size and of 64 samples of 4 kB, its first and its last one
 * among them, or of all where it is small. 0: no regular file, or none that can be read, of
 * which its reader says more. */
static uint64_t sample_file(const char *path)
{
    unsigned char bytes[BYTES];
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode))
        return 0;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return 0;
    const int64_t size = about.st_size, last = size > BYTES ? size - BYTES : 0;
    uint64_t hash = cgs_splitmix64((uint64_t)size);
    for (int i = 0; i < SAMPLES && fseeko(file, sample_offset(last, i), SEEK_SET) == 0; i++) {
        const size_t count = fread(bytes, 1, BYTES, file);
        for (size_t k = 0; k < count; k++)
            hash = cgs_splitmix64(hash ^ bytes[k]);
    }
    fclose(file);
    return hash;
}

enum cgs_status cgs_ranks_compare_file(struct cgs_context *context, const char *path)
{
    if (!context->comm || !path)
        return CGS_OK;
    const int other = first_other(context, sample_file(path));
    if (other == context->comm->size)
        return CGS_OK;
    return cgs_fail(
        context, CGS_FILE,
        "rank %d has another '%s' than rank 0, by its size or content: copy the same file to all "
        "hosts",
        other, path);
}
