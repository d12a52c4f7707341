/* The doctor on the build: what this program is, and what it was made without. */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/probe.h"
#include "core/io/version.h"
#include "kernels/device/nccl_names.h"
#include "kernels/plugin/landlock.h"
#include "kernels/plugin/seccomp_names.h"
#include "kernels/spmv/vendor/cusparse_names.h"
#include "kernels/spmv/vendor/librsb_names.h"
#include "lab/figure/gnuplot.h"
#include "matrix/ranks/partitioner_names.h"
#include "src/doctor/doctor_build.h"

/* The last -O of the flags, as the compiler takes it; "" where there is none. */
static void find_optimisation(const char *flags, char *text, size_t size)
{
    text[0] = '\0';
    for (const char *at = flags; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strncmp(at, "-O", 2) == 0)
            snprintf(text, size, "%.*s", (int)strcspn(at, " "), at);
}

static void examine_flags(struct cgs_examination *e)
{
    const char *flags = cgs_flags();
    char level[16];
    find_optimisation(flags, level, sizeof level);
    struct cgs_finding *f = cgs_found(e, "flags", "%s", flags);
    if (strstr(flags, "-fsanitize"))
        cgs_ails(f, CGS_NOTE,
                 "sanitizers watch every access: runs take several times as long and more memory, "
                 "and their figures say nothing of the machine",
                 "./bootstrap build -- --disable-sanitizers");
    else if (strstr(flags, "--coverage"))
        cgs_ails(f, CGS_NOTE, "lines are counted: runs take several times as long",
                 "./bootstrap build -- --disable-coverage");
    else if (strcmp(level, "") == 0 || strcmp(level, "-O0") == 0 || strcmp(level, "-Og") == 0 ||
             strcmp(level, "-O1") == 0)
        cgs_ails(f, CGS_NOTE,
                 "the compiler was not asked to optimise loops: on the CPU runs take several times "
                 "as long",
                 "./bootstrap build -- CFLAGS=-O3");
}

void cgs_examine_build(struct cgs_examination *e)
{
    e->section = "Build";
    const char *dirty = strstr(cgs_commit(), "-dirty");
    struct cgs_finding *f =
        cgs_found(e, "version", "cgsolve %s, commit %s", cgs_version(), cgs_commit());
    if (dirty)
        cgs_ails(f, CGS_NOTE,
                 "the sources had changed since that commit: nobody can build again what gave "
                 "these figures",
                 "git commit -a && ./bootstrap build");
    cgs_found(e, "compiler", "%s", cgs_compiler());
    examine_flags(e);
    if (e->cuda)
        cgs_found(e, "CUDA", "%s, for %s", cgs_cuda() ? cgs_cuda() : "unknown",
                  e->architectures ? e->architectures : "nothing");
}

/* ---- optional parts ---- */

/* A part that the program does without. A library is loaded by the first of `libraries` that is
 * there, and must have `symbol`. Where configure looked for a part `configured` tells the version;
 * what it did not find is not looked for again. A program is run. */
struct part {
    const char *name;
    enum cgs_device device; /* CGS_CUDA: its kernels want it; not looked for without them */
    bool ranks;             /* several ranks want it: not looked for without MPI */
    const char *libraries[8];
    const char *symbol;
    const char *(*configured)(void);
    bool (*runs)(char *text, size_t size); /* of a program: its version, or why it does not */
    const char *costs;
    /* packages; %s: the CUDA that this was built with, as 12-4; NULL: none has it */
    const char *debian, *fedora;
    const char *elsewhere;       /* a command where there is neither */
};

static bool find_landlock(char *text, size_t size)
{
    const long version = cgs_landlock_version();
    if (version >= 1)
        snprintf(text, size, "version %ld", version);
    else
        snprintf(text, size, "%s", strerror(errno));
    return version >= 1;
}

static const struct part parts[] = {
    {
        .name = "cuSPARSE",
        .device = CGS_CUDA,
        .libraries = {CGS_CUSPARSE_NAMES},
        .symbol = "cusparseSpMV_preprocess", /* the youngest that is called: CUDA 12.4 */
        .costs =
            "the vendor's kernels (crs_cusparse, sell_cusparse, spgemm_cusparse1, ...), references "
            "to compare with; all else works",
        .debian = "libcusparse-%s",
        .fedora = "libcusparse-%s",
        .elsewhere = "module load cuda",
    },
    {
        .name = "gnuplot",
        .runs = cgs_gnuplot_version,
        .costs =
            "figures (--plot, --slice): their data and scripts are written instead; all else works",
        .debian = "gnuplot-nox",
        .fedora = "gnuplot",
        .elsewhere = "export PATH=/path/to/gnuplot/bin:$PATH",
    },
    {
        .name = "librsb",
        .libraries = {CGS_LIBRSB_NAMES},
        .symbol = "rsb_mtx_alloc_from_coo_inplace", /* of all that are called, the youngest */
        .configured = cgs_librsb_version,
        .costs = "the kernel crs_librsb, a sparse BLAS as a reference to compare with; all else "
                 "works",
        .debian = "librsb-dev && ./bootstrap build",
        .fedora = "librsb-devel && ./bootstrap build",
        .elsewhere = "./bootstrap build",
    },
    {
        .name = "libseccomp",
        .libraries = {CGS_SECCOMP_NAMES},
        .symbol = CGS_SECCOMP_SYMBOL,
        .configured = cgs_seccomp_version,
        .costs = "part of the containment of kernels of your own: they could start processes and "
                 "open sockets; all else works",
        .debian = "libseccomp-dev && ./bootstrap build",
        .fedora = "libseccomp-devel && ./bootstrap build",
        .elsewhere = "./bootstrap build",
    },
    {
        .name = "Landlock",
        .runs = find_landlock,
        .costs = "part of the containment of kernels of your own, of submissions that are graded, "
                 "and of their compilers: they could read all files that you can (Linux 5.13 and "
                 "newer has it, unless it was started without or a container forbids it); all "
                 "else works",
        .elsewhere = "uname -r; cat /sys/kernel/security/lsm",
    },
    {
        .name = "MPI",
        .configured = cgs_mpi_version,
        .costs = "runs on several ranks (mpirun -n 4 cgsolve); all else works",
        .debian = "libopenmpi-dev openmpi-bin && ./bootstrap build",
        .fedora = "openmpi-devel && ./bootstrap build",
        .elsewhere = "./bootstrap build",
    },
    {
        .name = "METIS",
        .ranks = true,
        .libraries = {CGS_METIS_NAMES},
        .symbol = CGS_METIS_SYMBOL,
        .costs = "--partition=metis of files among ranks; all else works",
        .debian = "libmetis-dev",
        .fedora = "metis",
        .elsewhere = "export LD_LIBRARY_PATH=/path/to/metis/lib",
    },
    {
        .name = "Scotch",
        .ranks = true,
        .libraries = {CGS_SCOTCH_NAMES},
        .symbol = CGS_SCOTCH_SYMBOL,
        .costs = "--partition=scotch of files among ranks; all else works",
        .debian = "libscotch-dev",
        .fedora = "scotch",
        .elsewhere = "export LD_LIBRARY_PATH=/path/to/scotch/lib",
    },
    {
        .name = "NCCL",
        .device = CGS_CUDA,
        .libraries = {CGS_NCCL_NAMES},
        .symbol = CGS_NCCL_SYMBOL,
        .costs = "speed of several GPUs that can't write to each other's memory: the host carries "
                 "what goes between them; all else works",
        .debian = "libnccl2",
        .fedora = "libnccl",
        .elsewhere = "module load nccl",
    },
    {
        .name = "Check",
        .configured = cgs_check_version,
        .costs = "most of make check; the program itself does not need it",
        .debian = "check && ./bootstrap check",
        .fedora = "check-devel && ./bootstrap check",
        .elsewhere = "./bootstrap check",
    },
};

/* "12.4" -> "12-4", as NVIDIA names packages. */
static void package_version(char *text, size_t size)
{
    snprintf(text, size, "%s", cgs_cuda() ? cgs_cuda() : "");
    for (char *dot = text; (dot = strchr(dot, '.')) != NULL;)
        *dot = '-';
}

/* A toolkit's folder that has the library, though the loader does not look there; or "". */
static void find_folder(const char *root, const char *library, char *folder, size_t size)
{
    static const char *const places[] = {"/usr/local/cuda/lib64", "/usr/local/cuda/lib",
                                         "/opt/cuda/lib64"};
    folder[0] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places && !folder[0]; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", places[i], library);
        if (cgs_probe_exists(root, path))
            snprintf(folder, size, "%s", places[i]);
    }
}

static void blame(struct cgs_examination *e, struct cgs_finding *f, const struct part *part)
{
    char version[32], debian[96], fedora[96], folder[128] = "", command[256];
    package_version(version, sizeof version);
    if (!part->debian) {
        cgs_ails(f, CGS_NOTE, part->costs, "%s", part->elsewhere);
        return;
    }
    if (part->libraries[0])
        find_folder(e->root, part->libraries[0], folder, sizeof folder);
    if (folder[0]) {
        cgs_ails(f, CGS_NOTE, part->costs, "export LD_LIBRARY_PATH=%s", folder);
        return;
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* the table's own */
    snprintf(debian, sizeof debian, part->debian, version);
    snprintf(fedora, sizeof fedora, part->fedora, version);
#pragma GCC diagnostic pop
    cgs_probe_install(debian, fedora, part->elsewhere, command, sizeof command);
    cgs_ails(f, CGS_NOTE, part->costs, "%s", command);
}

static void examine_library(struct cgs_examination *e, const struct part *part)
{
    void *library = NULL;
    char why[256] = "";
    const char *name = "";
    for (size_t i = 0; i < sizeof part->libraries / sizeof *part->libraries && !library; i++)
        if (part->libraries[i]) {
            name = part->libraries[i];
            library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
            if (!library && !why[0])
                snprintf(why, sizeof why, "%s", dlerror());
        }
    if (library && dlsym(library, part->symbol)) {
        cgs_found(e, part->name, "%s", name);
        return;
    }
    if (library)
        snprintf(why, sizeof why, "%s is too old: it lacks %s", name, part->symbol);
    blame(e, cgs_found(e, part->name, "missing: %s", why), part);
}

static void examine_program(struct cgs_examination *e, const struct part *part)
{
    char text[256];
    if (part->runs(text, sizeof text))
        cgs_found(e, part->name, "%s", text);
    else
        blame(e, cgs_found(e, part->name, "missing: %s", text), part);
}

void cgs_examine_parts(struct cgs_examination *e)
{
    e->section = "Parts";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct part *part = &parts[i];
        if ((part->device == CGS_CUDA && !e->cuda) || (part->ranks && !cgs_mpi_version()))
            continue;
        if (part->configured && !part->configured())
            blame(e, cgs_found(e, part->name, "missing when this was configured"), part);
        else if (part->libraries[0])
            examine_library(e, part);
        else if (part->runs)
            examine_program(e, part);
        else
            cgs_found(e, part->name, "%s", part->configured());
    }
}
