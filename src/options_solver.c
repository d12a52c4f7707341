/* Options of the solver that only go together: preconditioner, its degree and precision, the start
 * vector, how often to solve. */
#include "src/options.h"

bool cgs_options_grids(const struct cgs_options *o)
{
    return o->precond == CGS_PRECOND_MG || o->guess == CGS_GUESS_FMG;
}

enum cgs_number cgs_options_cycle(const struct cgs_options *o)
{
    return o->precision == CGS_PRECISION_F64 && o->precond_precision == CGS_CYCLE_DOUBLE ? CGS_F64
                                                                                         : CGS_F32;
}

/* The option that asks for grids, as it is typed. */
static const char *asking(const struct cgs_options *o)
{
    return o->precond == CGS_PRECOND_MG ? "--precond=mg" : "--guess=fmg";
}

/* What belongs to multigrid, or to a polynomial. */
static enum cgs_status check_belonging(struct cgs_context *context, const struct cgs_options *o)
{
    const bool grids = cgs_options_grids(o);
    if (o->given[CGS_OPTION_precond_precision] && !grids)
        return cgs_fail(context, CGS_USAGE,
                        "--precond-precision is that of multigrid's cycles, and --precond=%s has "
                        "none: leave it out, or take --precond=mg",
                        cgs_option_choice(o, CGS_OPTION_precond));
    if (o->given[CGS_OPTION_degree] && !grids && o->precond != CGS_PRECOND_CHEBYSHEV)
        return cgs_fail(context, CGS_USAGE,
                        "--degree is that of a polynomial, and --precond=%s has none: leave it "
                        "out, or take --precond=chebyshev, or mg",
                        cgs_option_choice(o, CGS_OPTION_precond));
    if (o->precond_precision == CGS_CYCLE_DOUBLE && o->precision != CGS_PRECISION_F64)
        return cgs_fail(context, CGS_USAGE,
                        "--precond-precision=double: with --precision=%s the iterations are in "
                        "single, and so are cycles: leave it out, or take --precision=double",
                        cgs_option_choice(o, CGS_OPTION_precision));
    return CGS_OK;
}

enum cgs_status cgs_options_check_solver(struct cgs_context *context, const struct cgs_options *o)
{
    CGS_TRY(check_belonging(context, o));
    if (cgs_options_grids(o) && o->matrix)
        return cgs_fail(context, CGS_USAGE,
                        "%s needs the grids of the box, which --matrix does not have: take %s",
                        asking(o), o->precond == CGS_PRECOND_MG ? "--precond=jacobi, or chebyshev"
                                                                : "--guess=zero");
    if (o->solves > 1 && (o->profile || o->inject.kind != CGS_FAULT_NONE))
        return cgs_fail(context, CGS_USAGE, "--%s is about one solve: leave out --solves",
                        o->profile ? "profile" : "inject");
    return CGS_OK;
}

enum cgs_status cgs_options_check_grids(struct cgs_context *context, const struct cgs_options *o,
                                        const struct cgs_kernel_entry *entry)
{
    const bool twice = cgs_options_cycle(o) == CGS_F64;
    const enum cgs_precision precision = twice ? CGS_PRECISION_F64 : CGS_PRECISION_F32;
    if (!cgs_options_grids(o))
        return CGS_OK;
    if (o->foreign)
        return cgs_fail(context, CGS_USAGE,
                        "%s applies a matrix on each of its grids, but kernel '%s' of your own "
                        "takes the one that it is verified with: take --precond=jacobi, or "
                        "chebyshev",
                        asking(o), entry->name);
    if (!entry->tables[precision])
        return cgs_fail(context, CGS_USAGE,
                        "%s: kernel '%s' is not there in %s precision, which its cycles have: take "
                        "%s, or another --kernel",
                        asking(o), entry->name, cgs_precision_name(precision),
                        twice ? "--precond-precision=single" : "--precond-precision=double");
    return CGS_OK;
}

void cgs_options_settle_solver(struct cgs_options *o)
{
    enum { CHEBYSHEV = 4, SMOOTHER = 2 };
    if (!cgs_options_grids(o)) /* nothing has cycles */
        o->known[CGS_OPTION_precond_precision] = false;
    if (o->known[CGS_OPTION_degree])
        return;
    o->degree = o->precond == CGS_PRECOND_CHEBYSHEV ? CHEBYSHEV : SMOOTHER;
    o->known[CGS_OPTION_degree] = o->precond == CGS_PRECOND_CHEBYSHEV || cgs_options_grids(o);
}
