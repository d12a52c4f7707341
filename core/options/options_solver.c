/* Checks the options of the solver: preconditioner with degree and precision, start vector, number
 * of solves. */
#include "core/options/options.h"
#include "kernels/user/foreign.h"

static const struct {
    int degree, traits;
} preconditioners[CGS_PRECONDS] = {
#define CGS_PRECONDITIONER(code, name, degree, traits, description) {degree, traits},
#include "core/options/preconditioners.def"
#undef CGS_PRECONDITIONER
};

bool cgs_precond_is(enum cgs_precond precond, enum cgs_precond_trait trait)
{
    return preconditioners[precond].traits & trait;
}

bool cgs_options_grids(const struct cgs_options *o)
{
    return cgs_precond_is(o->precond, CGS_PRECOND_GRIDS) || o->guess == CGS_GUESS_FMG;
}

static bool has_cycles(const struct cgs_options *o)
{
    return cgs_precond_is(o->precond, CGS_PRECOND_CYCLES);
}

bool cgs_options_cycles(const struct cgs_options *o)
{
    return cgs_options_grids(o) || has_cycles(o);
}

enum cgs_number cgs_options_cycle(const struct cgs_options *o)
{
    if (!has_cycles(o)) /* cycles of --guess=fmg only */
        return o->precision == CGS_PRECISION_F32 ? CGS_F32 : CGS_F64;
    return o->precision == CGS_PRECISION_F64 && o->precond_precision == CGS_CYCLE_DOUBLE ? CGS_F64
                                                                                         : CGS_F32;
}

/* Returns the option that asks for grids, as on the command line. */
static const char *asking(const struct cgs_options *o)
{
    if (cgs_precond_is(o->precond, CGS_PRECOND_GRIDS))
        return "--precond=mg";
    return o->guess == CGS_GUESS_FMG ? "--guess=fmg" : "--precond=amg";
}

/* Fails for options of multigrid or polynomials if the preconditioner has none. */
static enum cgs_status check_belonging(struct cgs_context *context, const struct cgs_options *o)
{
    const bool cycles = cgs_options_cycles(o);
    if (o->given[CGS_OPTION_precond_precision] && !has_cycles(o))
        return cgs_fail(context, CGS_USAGE,
                        "--precond-precision is that of multigrid's cycles, and --precond=%s has "
                        "none%s: leave it out, or take --precond=mg, or amg",
                        cgs_option_choice(o, CGS_OPTION_precond),
                        o->guess == CGS_GUESS_FMG
                            ? " (those of --guess=fmg are in the precision of the equation)"
                            : "");
    if (o->given[CGS_OPTION_degree] && !cycles && preconditioners[o->precond].degree == 0)
        return cgs_fail(context, CGS_USAGE,
                        "--degree is that of a polynomial, and --precond=%s has none: leave it "
                        "out, or take --precond=chebyshev, mg or amg",
                        cgs_option_choice(o, CGS_OPTION_precond));
    if (o->given[CGS_OPTION_coarse] && !cgs_options_grids(o))
        return cgs_fail(context, CGS_USAGE,
                        "--coarse is about the coarser grids of the box, and --precond=%s has none%s: "
                        "leave it out, or take --precond=mg",
                        cgs_option_choice(o, CGS_OPTION_precond),
                        cgs_precond_is(o->precond, CGS_PRECOND_AGGREGATES) ? " (its grids are Galerkin products always)"
                                                      : "");
    if (o->given[CGS_OPTION_whole_grids] && !cgs_options_grids(o))
        return cgs_fail(
            context, CGS_USAGE,
            "--whole-grids is about the coarser grids of the box, and --precond=%s has none "
            "of these: leave it out, or take --precond=mg",
            cgs_option_choice(o, CGS_OPTION_precond));
    if (o->given[CGS_OPTION_strength] && !cgs_precond_is(o->precond, CGS_PRECOND_AGGREGATES))
        return cgs_fail(context, CGS_USAGE,
                        "--strength is that of aggregates, and --precond=%s has none: leave it "
                        "out, or take --precond=amg",
                        cgs_option_choice(o, CGS_OPTION_precond));
    if (o->given[CGS_OPTION_strength] && o->strength < 0.0)
        return cgs_fail(context, CGS_USAGE,
                        "--strength=%g is negative: expected 0 (all entries are strong) ... below 1",
                        o->strength);
    if (o->precond_precision == CGS_CYCLE_DOUBLE && o->precision != CGS_PRECISION_F64)
        return cgs_fail(context, CGS_USAGE,
                        "--precond-precision=double: with --precision=%s the iterations are in "
                        "single, and so are cycles: leave it out, or take --precision=double",
                        cgs_option_choice(o, CGS_OPTION_precision));
    return CGS_OK;
}

/* Fails where CG with one reduction an iteration cannot be had. */
static enum cgs_status check_form(struct cgs_context *context, const struct cgs_options *o)
{
    if (o->cg == CGS_CG_STANDARD)
        return CGS_OK;
    if (o->precision == CGS_PRECISION_MIXED)
        return cgs_fail(context, CGS_USAGE,
                        "--cg=%s has no mixed precision: take --precision=double, or "
                        "--cg=standard",
                        cgs_option_choice(o, CGS_OPTION_cg));
    if (o->backend == CGS_BACKEND_CUDA)
        return cgs_fail(context, CGS_USAGE,
                        "--cg=%s works on the CPU alone: take --backend=cpu, or --cg=standard",
                        cgs_option_choice(o, CGS_OPTION_cg));
    return CGS_OK;
}

enum cgs_status cgs_options_check_solver(struct cgs_context *context, const struct cgs_options *o)
{
    CGS_TRY(check_belonging(context, o));
    CGS_TRY(check_form(context, o));
    if (cgs_options_grids(o) && !cgs_options_box(o))
        return cgs_fail(context, CGS_USAGE,
                        "%s needs the grids of the box, which %s does not have: take %s", asking(o),
                        o->matrix ? "--matrix" : "the caller's matrix",
                        cgs_precond_is(o->precond, CGS_PRECOND_GRIDS) ? "--precond=amg" : "--guess=zero");
    if (o->solves != 1 && (o->profile || o->inject.kind != CGS_FAULT_NONE))
        return cgs_fail(context, CGS_USAGE, "--%s is about one solve: leave out --solves",
                        o->profile ? "profile" : "inject");
    return CGS_OK;
}

enum cgs_status cgs_options_check_grids(struct cgs_context *context, const struct cgs_options *o,
                                        const struct cgs_kernel_entry *entry)
{
    const bool twice = cgs_options_cycle(o) == CGS_F64;
    const enum cgs_precision precision = twice ? CGS_PRECISION_F64 : CGS_PRECISION_F32;
    if (!cgs_options_cycles(o))
        return CGS_OK;
    if (cgs_precond_is(o->precond, CGS_PRECOND_AGGREGATES) && o->format == CGS_NONE)
        return cgs_fail(context, CGS_USAGE,
                        "--precond=amg makes its grids of the matrix's entries, and --format=none "
                        "has none: take --precond=mg, or --format=sell, crs or sellc");
    if (cgs_foreign_named(o->kernel) && cgs_options_grids(o))
        return cgs_fail(context, CGS_USAGE,
                        "%s applies a matrix on each of its grids, but kernel '%s' of your own "
                        "takes the one that it is verified with: take --precond=jacobi, or "
                        "chebyshev",
                        asking(o), o->kernel);
    if (entry && !entry->tables[precision])
        return cgs_fail(context, CGS_USAGE,
                        "%s: kernel '%s' is not there in %s precision, which its cycles have: take "
                        "%sanother --kernel",
                        asking(o), entry->name, cgs_precision_name(precision),
                        !has_cycles(o) ? ""
                        : twice        ? "--precond-precision=single, or "
                                       : "--precond-precision=double, or ");
    return CGS_OK;
}

void cgs_options_settle_solver(struct cgs_options *o)
{
    enum { SMOOTHER = 2 }; /* degree of the smoother in the cycles of --guess=fmg */
    const int degree = preconditioners[o->precond].degree;
    static const double STRENGTH = 0.02;
    if (!has_cycles(o))
        o->known[CGS_OPTION_precond_precision] = false;
    if (!cgs_options_grids(o))
        o->known[CGS_OPTION_coarse] = false;
    if (cgs_precond_is(o->precond, CGS_PRECOND_AGGREGATES) && !o->known[CGS_OPTION_strength])
        CGS_DECIDE(o, strength, STRENGTH);
    if (o->known[CGS_OPTION_degree])
        return;
    o->degree = degree > 0 ? degree : SMOOTHER;
    o->known[CGS_OPTION_degree] = degree > 0 || cgs_options_cycles(o);
}
