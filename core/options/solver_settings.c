/* Checks the options of the solver: preconditioner with degree and precision, start vector, number
 * of solves. */
#include "core/options/solver_settings.h"

#include "core/options/values.h"

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

int cgs_precond_degree(enum cgs_precond precond)
{
    return preconditioners[precond].degree;
}

bool cgs_settings_grids(const struct cgs_settings *settings)
{
    return cgs_precond_is(settings->precond, CGS_PRECOND_GRIDS) || settings->guess == CGS_GUESS_FMG;
}

static bool has_cycles(const struct cgs_settings *settings)
{
    return cgs_precond_is(settings->precond, CGS_PRECOND_CYCLES);
}

bool cgs_settings_cycles(const struct cgs_settings *settings)
{
    return cgs_settings_grids(settings) || has_cycles(settings);
}

enum cgs_number cgs_settings_cycle(const struct cgs_settings *settings)
{
    if (!has_cycles(settings)) /* cycles of --guess=fmg only */
        return settings->precision == CGS_PRECISION_F32 ? CGS_F32 : CGS_F64;
    return settings->precision == CGS_PRECISION_F64 &&
                   settings->precond_precision == CGS_CYCLE_DOUBLE
               ? CGS_F64
               : CGS_F32;
}

enum cgs_number cgs_settings_transform(const struct cgs_settings *settings)
{
    const bool single =
        settings->precision == CGS_PRECISION_F32 || settings->precond_precision == CGS_CYCLE_SINGLE;
    return single ? CGS_F32 : CGS_F64;
}

/* Returns the option that asks for grids, as on the command line. */
static const char *asking(const struct cgs_settings *settings)
{
    if (cgs_precond_is(settings->precond, CGS_PRECOND_GRIDS))
        return "\1precond=mg";
    return settings->guess == CGS_GUESS_FMG ? "\1guess=fmg" : "\1precond=amg";
}

enum cgs_status cgs_settings_check_grids(struct cgs_context *context,
                                         const struct cgs_settings *settings,
                                         const struct cgs_kernel_entry *entry)
{
    const bool twice = cgs_settings_cycle(settings) == CGS_F64;
    const enum cgs_precision precision = twice ? CGS_PRECISION_F64 : CGS_PRECISION_F32;
    if (!cgs_settings_cycles(settings))
        return CGS_OK;
    if (cgs_precond_is(settings->precond, CGS_PRECOND_AGGREGATES) && settings->format == CGS_NONE)
        return cgs_fail(context, CGS_USAGE,
                        "\1precond=amg makes its grids of the matrix's entries, and \1format=none "
                        "has none: take \1precond=mg, or \1format=sell, crs or sellc");
    if (cgs_plugin_named(settings->kernel) && cgs_settings_grids(settings))
        return cgs_fail(context, CGS_USAGE,
                        "%s applies a matrix on each of its grids, but kernel '%s' of your own "
                        "takes the one that it is verified with: take \1precond=jacobi, or "
                        "chebyshev",
                        asking(settings), settings->kernel);
    if (entry && !entry->tables[precision])
        return cgs_fail(context, CGS_USAGE,
                        "%s: kernel '%s' is not there in %s precision, which its cycles have: take "
                        "%sanother \1kernel",
                        asking(settings), entry->name, cgs_precision_name(precision),
                        !has_cycles(settings) ? ""
                        : twice               ? "\1precond-precision=single, or "
                                              : "\1precond-precision=double, or ");
    return CGS_OK;
}

void cgs_settings_take_precond(struct cgs_settings *settings, enum cgs_precond precond,
                               const char *why)
{
    CGS_DECIDE(settings, precond, precond);
    settings->precond_why = why;
    settings->known[CGS_OPTION_degree] =
        settings->given[CGS_OPTION_degree] && preconditioners[precond].degree > 0;
    cgs_settings_settle_solver(settings);
}

void cgs_settings_settle_solver(struct cgs_settings *settings)
{
    enum { SMOOTHER = 2 }; /* degree of the smoother in the cycles of --guess=fmg */
    const bool orders = settings->order > 1 && cgs_precond_is(settings->precond, CGS_PRECOND_GRIDS);
    const int degree = preconditioners[settings->precond].degree + orders;
    static const double STRENGTH = 0.02;
    if (!has_cycles(settings) && !cgs_precond_is(settings->precond, CGS_PRECOND_LINES))
        settings->known[CGS_OPTION_precond_precision] = false;
    if (!cgs_settings_grids(settings))
        settings->known[CGS_OPTION_coarse] = false;
    if (cgs_precond_is(settings->precond, CGS_PRECOND_AGGREGATES) &&
        !settings->known[CGS_OPTION_strength])
        CGS_DECIDE(settings, strength, STRENGTH);
    if (settings->known[CGS_OPTION_degree])
        return;
    settings->degree = degree > 0 ? degree : SMOOTHER;
    settings->known[CGS_OPTION_degree] = degree > 0 || cgs_settings_cycles(settings);
}
