#include "core/io/version.h"

#include "config.h"
#include "core/io/commit.h"

/* Configure defines what a build without CUDA lacks as "". */
static const char *unless_empty(const char *text)
{
    return *text ? text : NULL;
}

const char *cgs_version(void)
{
    return PACKAGE_VERSION;
}

const char *cgs_commit(void)
{
    return CGS_COMMIT;
}

const char *cgs_commit_date(void)
{
    return CGS_COMMIT_DATE;
}

const char *cgs_compiler(void)
{
    return CGS_COMPILER;
}

const char *cgs_flags(void)
{
    return CGS_CFLAGS;
}

const char *cgs_cuda(void)
{
    return unless_empty(CGS_CUDA_VERSION);
}

const char *cgs_architectures(void)
{
    return unless_empty(CGS_CUDA_ARCHITECTURES);
}

const char *cgs_cuda_why(void)
{
    return unless_empty(CGS_CUDA_WHY);
}

const char *cgs_librsb_version(void)
{
    return unless_empty(CGS_LIBRSB_VERSION);
}

const char *cgs_seccomp_version(void)
{
    return unless_empty(CGS_SECCOMP_VERSION);
}

const char *cgs_mpi_version(void)
{
    return unless_empty(CGS_MPI_VERSION);
}

const char *cgs_check_version(void)
{
    return unless_empty(CGS_CHECK_VERSION);
}

void cgs_print_version(FILE *file)
{
    fprintf(file,
            "cgsolve %s\n"
            "commit         %s\n"
            "compiler       %s\n"
            "flags          %s\n",
            cgs_version(), cgs_commit(), cgs_compiler(), cgs_flags());
    if (cgs_cuda())
        fprintf(file,
                "CUDA           %s\n"
                "architectures  %s\n",
                cgs_cuda(), cgs_architectures());
    else
        fprintf(file, "CUDA           not built in ('cgsolve list backends' says why)\n");
    fprintf(file, "MPI            %s\n", cgs_mpi_version() ? cgs_mpi_version() : "not built in");
}

void cgs_print_citation(FILE *file)
{
    const char *date = cgs_commit_date();
    fprintf(file,
            "@misc{cgsolve,\n"
            "  author = {{The cgsolve authors}},\n"
            "  title  = {{cgsolve}: conjugate gradients for {3-D} finite elements on {CPU} and "
            "{GPU}},\n");
    if (date[0]) /* none: neither git nor a tarball said which commit this is */
        fprintf(file, "  year   = {%.4s},\n", date);
    fprintf(file, "  note   = {Version %s, commit %s%s%s}\n}\n", cgs_version(), cgs_commit(),
            date[0] ? ", " : "", date);
}
