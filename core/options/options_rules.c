/* Combinations of options that are refused on every machine, a row each. A row's sentence is made
 * of its fields:
 *
 *     needs, against   --degree belongs to --precond=mg, but here is --precond=none: leave one of them out
 *     needs            --resume needs --report=DIR: give that, too, or leave it out
 *     against, why     --N and --cells both say how the box is cut: leave one of them out
 *     why              --strength is negative: take 0 ... below 1
 */
#include <stdio.h>
#include <string.h>

#include "core/options/option_table.h"
#include "core/options/options_rules.h"
#include "core/options/solver_settings.h"
#include "fem/assembly.h"

enum { NOTHING = -1 };

struct rule {
    bool broken;
    int option, against; /* enum cgs_option_id; against: NOTHING */
    const char *needs, *why;
};

/* Writes the option as it stands, "\1precond=jacobi", or without its value, which may be long. */
static void name(const struct cgs_options *o, int id, char *text, size_t size)
{
    const enum cgs_option_kind kind = cgs_option_table[id].kind;
    char value[64] = "";
    if (kind == CGS_KIND_CHOICE || kind == CGS_KIND_PROBLEM || kind == CGS_KIND_KAPPA ||
        (id == CGS_OPTION_rhs && !cgs_rhs_file(&o->settings)) ||
        (id == CGS_OPTION_nullspace && !cgs_nullspace_file(&o->settings)))
        cgs_option_value(o, (enum cgs_option_id)id, value, sizeof value);
    if (id == CGS_OPTION_matrix && !o->settings.matrix)
        snprintf(text, size, "%s", o->settings.random.n > 0 ? "\1random" : "the caller's matrix");
    else
        snprintf(text, size, "\1%s%s%s", cgs_option_table[id].name, value[0] ? "=" : "", value);
}

static enum cgs_status refuse(struct cgs_context *context, const struct cgs_options *o,
                              const struct rule *r)
{
    char one[96], other[96] = "";
    name(o, r->option, one, sizeof one);
    if (r->against != NOTHING)
        name(o, r->against, other, sizeof other);
    if (r->against != NOTHING && r->needs)
        return cgs_fail(context, CGS_USAGE,
                        "%s belongs to %s, but here is %s: leave one of them out", one, r->needs,
                        other);
    if (r->against != NOTHING)
        return cgs_fail(context, CGS_USAGE, "%s and %s %s: leave one of them out", one, other,
                        r->why);
    if (r->needs)
        return cgs_fail(context, CGS_USAGE, "%s needs %s: give that, too, or leave it out", one,
                        r->needs);
    return cgs_fail(context, CGS_USAGE, "%s %s", one, r->why);
}

static enum cgs_status check(struct cgs_context *context, const struct cgs_options *o,
                             const struct rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rules[i].broken)
            return refuse(context, o, &rules[i]);
    return CGS_OK;
}

#define CHECK(rules) check(context, o, rules, sizeof(rules) / sizeof *(rules))
#define GIVEN(field) (o->settings.given[CGS_OPTION_##field])
/* A row each: the option `field` stands where it cannot if `broken`. */
#define BELONGS(field, broken, needs, other)                                                       \
    broken, CGS_OPTION_##field, CGS_OPTION_##other, needs, NULL
#define NEEDS(field, broken, needs) broken, CGS_OPTION_##field, NOTHING, needs, NULL
#define EXCLUDES(field, broken, other, why)                                                        \
    broken, CGS_OPTION_##field, CGS_OPTION_##other, NULL, why
#define IS(field, broken, why) broken, CGS_OPTION_##field, NOTHING, NULL, why

enum cgs_status cgs_options_check_folder(struct cgs_context *context, const struct cgs_options *o)
{
    const bool study = o->settings.command == CGS_COMMAND_STUDY,
               grade = o->settings.command == CGS_COMMAND_GRADE;
    const struct rule rules[] = {
        {NEEDS(resume, study && o->resume && !o->report, "\1report=DIR, the folder of the study")},
        {NEEDS(draw, study && o->draw && !o->report, "\1report=DIR, the folder of the study")},
        {NEEDS(figures, !grade && GIVEN(figures) && !o->report,
               "\1report=DIR, the folder that they are drawn into")},
        {NEEDS(resume, grade && o->resume && !o->csv, "\1csv=FILE, the table of marks")},
    };
    return CHECK(rules);
}

static enum cgs_status check_machine(struct cgs_context *context, const struct cgs_options *o)
{
    const bool cpu = o->settings.backend == CGS_BACKEND_CPU,
               gpu = o->settings.backend == CGS_BACKEND_CUDA;
    const bool merged = o->settings.cg != CGS_CG_STANDARD;
    const bool plain = GIVEN(format) && !cgs_format_chunked(o->settings.format);
    const bool lab =
        o->settings.command == CGS_COMMAND_SPMV || o->settings.command == CGS_COMMAND_SPGEMM;
    const bool mixed = o->settings.precision == CGS_PRECISION_MIXED;
    const struct rule rules[] = {
        {BELONGS(chunk, plain && GIVEN(chunk), "\1format=sell or sellc", format)},
        {BELONGS(sigma, plain && GIVEN(sigma), "\1format=sell or sellc", format)},
        {BELONGS(device, cpu && GIVEN(device), "\1backend=cuda", backend)},
        {EXCLUDES(gpus, GIVEN(gpus) && GIVEN(device), device, "both name devices")},
        {BELONGS(gpus, cpu && GIVEN(gpus), "\1backend=cuda", backend)},
        {BELONGS(launch,
                 cpu && o->settings.launch != CGS_LAUNCH_PLAIN &&
                     o->settings.launch != CGS_LAUNCH_AUTO,
                 "\1backend=cuda", backend)},
        {BELONGS(assemble, cpu && o->settings.assemble == CGS_ASSEMBLE_DEVICE, "\1backend=cuda",
                 backend)},
        {BELONGS(cg, gpu && merged, "\1backend=cpu", backend)},
        {BELONGS(cg, mixed && merged, "\1precision=double or single", precision)},
        {IS(precision, mixed && lab,
            "is for solving, and a product has one precision: take \1precision=single, or double")},
    };
    return CHECK(rules);
}

/* A matrix by rows: a file's, a random one, the caller's. */
static enum cgs_status check_rows(struct cgs_context *context, const struct cgs_options *o)
{
    const bool stop = o->settings.stop == CGS_STOP_DISCRETIZATION,
               grids = cgs_settings_grids(&o->settings);
    const bool mg = cgs_precond_is(o->settings.precond, CGS_PRECOND_GRIDS),
               lines = cgs_precond_is(o->settings.precond, CGS_PRECOND_LINES);
    const struct rule rules[] = {
        {IS(matrix, o->settings.from_caller && o->settings.matrix,
            "and the caller's matrix are two: leave one of them out")},
        {EXCLUDES(matrix, o->settings.matrix && GIVEN(random), random, "each bring a matrix")},
        {BELONGS(format, GIVEN(format) && o->settings.format == CGS_NONE, "the box", matrix)},
        {BELONGS(stop, stop, "the box", matrix)},
        {BELONGS(precond, (grids && mg) || lines, "the box (\1precond=amg is for any matrix)",
                 matrix)},
        {BELONGS(guess, grids && !mg, "the box", matrix)},
    };
    for (int i = 0; i < cgs_options_of_box_count; i++)
        if (o->settings.given[cgs_options_of_box[i]])
            return refuse(context, o,
                          &(struct rule){true, (int)cgs_options_of_box[i], CGS_OPTION_matrix,
                                         "the box", NULL});
    return CHECK(rules);
}

/* The first option that asks for a problem of the user's own; NOTHING: none. */
static int asking(const struct cgs_options *o)
{
    return o->settings.source     ? CGS_OPTION_source
           : o->settings.exact    ? CGS_OPTION_exact
           : o->settings.face     ? CGS_OPTION_face
           : o->settings.material ? CGS_OPTION_material
           : o->settings.region   ? CGS_OPTION_region
           : o->settings.rhs      ? CGS_OPTION_rhs
                                  : NOTHING;
}

/* Refuses what a box of order p > 1 does not have yet, and an N that does not fit its cells. */
static enum cgs_status check_order(struct cgs_context *context, const struct cgs_options *o)
{
    static const char yet[] = "do not go together yet",
                      plain[] = "of \1order=2 and more is of the undeformed box with kappa = 1 and "
                                "\1quadrature=lobatto: take \1precond=mg",
                      cuda[] = "of \1order=2 and more has so far no \1reproducible on the "
                               "undeformed box with kappa = 1 and \1quadrature=lobatto, unless by "
                               "rows: take \1format=crs or sell, or \1backend=cpu";
    const struct cgs_settings *s = &o->settings;
    const struct cgs_problem *problem = s->problem;
    const int what = asking(o);
    const int64_t p = s->order, low = (s->n + 1) / p * p - 1;
    const bool star = cgs_settings_star(s), on_device = cgs_settings_order_on_device(s);
    const bool own = what != NOTHING || s->reaction || s->grade || s->grid;
    int64_t n[3];
    char cut[96], lower[32] = "";
    const struct rule mass[] = {
        {NEEDS(problem,
               problem->mass && (p == 1 || !GIVEN(quadrature) || s->quadrature != CGS_GAUSS),
               "\1order=2 or more with \1quadrature=gauss (by the rule of the nodes the mass "
               "matrix is diagonal)")},
        {EXCLUDES(problem, problem->mass && s->kappa.kind != CGS_KAPPA_ONE, kappa,
                  "do not go together (the mass matrix has no coefficient)")},
        {EXCLUDES(problem, problem->mass && s->precond == CGS_PRECOND_MG, precond,
                  "do not go together (the mass matrix has no coarser grids: \1precond=jacobi)")},
        {EXCLUDES(problem, problem->mass && s->reaction, reaction, yet)},
        {EXCLUDES(problem, problem->mass && s->grade, grade, yet)},
        {EXCLUDES(problem, problem->mass && s->grid, grid, yet)},
    };
    CGS_TRY(CHECK(mass));
    if (p == 1)
        return s->quadrature == CGS_COLLOCATED
                   ? refuse(context, o,
                            &(struct rule){NEEDS(quadrature, true, "\1order=2 or more")})
                   : CGS_OK;
    const struct rule rules[] = {
        {EXCLUDES(order,
                  problem->terms == 0 || problem->product_rhs ||
                      (problem->boundary_values && !star && !own),
                  problem, yet)},
        {EXCLUDES(order, s->quadrature == CGS_BLENDED, quadrature, "do not go together")},
        {EXCLUDES(order, s->assemble == CGS_ASSEMBLE_DEVICE, assemble, yet)},
        {IS(precond, s->precond == CGS_PRECOND_FDM && !star, plain)},
        {EXCLUDES(order, s->coarse == CGS_COARSE_GALERKIN, coarse, yet)},
        {IS(device, GIVEN(device) && !on_device, cuda)},
        {IS(gpus, GIVEN(gpus) && !on_device, cuda)},
        {IS(backend, s->backend == CGS_BACKEND_CUDA && !on_device, cuda)},
        {EXCLUDES(order, s->guess == CGS_GUESS_FMG, guess, yet)},
    };
    CGS_TRY(CHECK(rules));
    cgs_settings_unknowns(s, n);
    for (int k = 0; k < 3; k++)
        if (s->cells.of[0] > 0 && n[k] > CGS_MESH_MAX_N)
            return cgs_fail(context, CGS_USAGE,
                            "\1cells: %lld cells of order %lld are more than %d unknowns in a "
                            "direction: take at most %lld",
                            (long long)s->cells.of[k], (long long)p, CGS_MESH_MAX_N,
                            (long long)((CGS_MESH_MAX_N + 1) / p));
    if (s->cells.of[0] > 0 || !GIVEN(n) || (s->n + 1) % p == 0)
        return CGS_OK;
    if (low > 0)
        snprintf(lower, sizeof lower, "\1N=%lld or ", (long long)low);
    cgs_settings_write_cut(s, cut, sizeof cut);
    return cgs_fail(context, CGS_USAGE,
                    "%s does not fit \1order=%lld, whose cells have %lld unknowns in each "
                    "direction, one fewer in all: take %s\1N=%lld",
                    cut, (long long)p, (long long)p, lower, (long long)(low + p));
}

/* The box, before expressions are read. */
static enum cgs_status check_box(struct cgs_context *context, const struct cgs_options *o)
{
    static const char formula[] =
        "a problem whose solution is a formula in x, y and z (\1problem=smooth, sine, boundary or "
        "octants, without a jump of kappa, or one of your own)";
    static const char undeformed[] = "the undeformed box";
    static const char matrix[] = "\1matrix=FILE";
    static const char together[] = "do not go together (the benchmark is on the plain cube)";
    const int what = asking(o);
    const bool user = what != NOTHING, deformed = o->settings.deform != 0.0,
               course = o->settings.problem->course;
    const bool cells = o->settings.kappa.kind == CGS_KAPPA_CELLS,
               varies = o->settings.kappa.kind != CGS_KAPPA_ONE;
    const bool stop = o->settings.stop == CGS_STOP_DISCRETIZATION;
    const bool known = o->settings.problem->terms > 0 && !o->settings.problem->product_rhs;
    const bool built_in = !user && known && o->settings.kappa.kind != CGS_KAPPA_JUMP;
    const double *size = o->settings.size.of;
    const bool cube =
        cgs_settings_equal_n(&o->settings) && size[0] == size[1] && size[1] == size[2];
    const struct rule rules[] = {
        {NEEDS(grade, o->settings.grade && !user && !built_in, formula)},
        {NEEDS(grid, o->settings.grid && !user && !built_in, formula)},
        {NEEDS(reaction, o->settings.reaction && !user && !built_in, formula)},
        {BELONGS(grade, o->settings.grade && deformed, undeformed, deform)},
        {BELONGS(grid, o->settings.grid && deformed, undeformed, deform)},
        {BELONGS(reaction, o->settings.reaction && deformed, undeformed, deform)},
        {NEEDS(let, o->settings.let && !user && !o->settings.reaction,
               "\1source or \1exact, whose constants it names")},
        {NEEDS(title, o->settings.title && !o->settings.slice, "\1slice, whose figure it names")},
        {NEEDS(unit, o->settings.unit && !o->settings.slice, "\1slice, in whose figure it is")},
        {IS(kappa, !user && cells,
            "is not 1, smooth or jump:R, which built-in problems have: give \1source, "
            "\1exact, "
            "\1face or \1material, too")},
        {NEEDS(nullspace, o->settings.nullspace, "\1matrix=FILE, since that of the box is known")},
        {IS(rhs, o->settings.rhs && !cgs_rhs_file(&o->settings),
            "belongs to \1matrix=FILE: for the box name a file with a number for each unknown, or "
            "give \1source")},
        {EXCLUDES(rhs, o->settings.rhs && o->settings.source, source,
                  "both bring the load vector")},
        {EXCLUDES(rhs, o->settings.rhs && o->settings.exact, exact, "both bring the load vector")},
        {user && GIVEN(problem), what, CGS_OPTION_problem, NULL, "both name a problem"},
        {user && deformed, what, CGS_OPTION_deform, undeformed, NULL},
        {user && varies && !cells, CGS_OPTION_kappa, what,
         "built-in problems (for your own write it in x, y, z)", NULL},
        {EXCLUDES(deform, course && deformed, problem, together)},
        {EXCLUDES(kappa, course && varies, problem, together)},
        {NEEDS(stop, stop && user && !o->settings.exact, "an exact solution, \1exact")},
        {BELONGS(stop, stop && !user && !known,
                 "problems with a discretisation error, such as smooth", problem)},
        {NEEDS(near_null, o->settings.near_null, matrix)},
        {NEEDS(block, GIVEN(block), matrix)},
        {NEEDS(coordinates, o->settings.coordinates, matrix)},
        {NEEDS(adaptive, o->settings.adaptive > 0 && !o->settings.from_caller, matrix)},
        {EXCLUDES(n, GIVEN(n) && GIVEN(cells), cells, "both say how the box is cut")},
        {IS(deform, deformed && !cube,
            "moves the nodes of a cube of cubes, and this box is none: leave it out, or take equal "
            "\1cells and \1size in x, y and z")},
    };
    return CHECK(rules);
}

static enum cgs_status check_solver(struct cgs_context *context, const struct cgs_options *o)
{
    const bool grids = cgs_settings_grids(&o->settings),
               f64 = o->settings.precision == CGS_PRECISION_F64;
    const bool precise = cgs_precond_is(o->settings.precond, CGS_PRECOND_CYCLES) ||
                         cgs_precond_is(o->settings.precond, CGS_PRECOND_LINES);
    const bool amg = cgs_precond_is(o->settings.precond, CGS_PRECOND_AGGREGATES),
               kept = o->settings.reuse != CGS_REUSE_NONE;
    const bool twice = o->settings.precond_precision == CGS_CYCLE_DOUBLE,
               again = o->settings.solves != 1;
    const struct rule rules[] = {
        {BELONGS(precond_precision, GIVEN(precond_precision) && !precise,
                 "\1precond=mg, amg or fdm", precond)},
        {BELONGS(degree, GIVEN(degree) && !grids && cgs_precond_degree(o->settings.precond) == 0,
                 "\1precond=chebyshev, mg or amg", precond)},
        {BELONGS(coarse, GIVEN(coarse) && !grids, "\1precond=mg or \1guess=fmg", precond)},
        {BELONGS(whole_grids, GIVEN(whole_grids) && !grids, "\1precond=mg or \1guess=fmg",
                 precond)},
        {BELONGS(strength, GIVEN(strength) && !amg, "\1precond=amg", precond)},
        {IS(strength, GIVEN(strength) && o->settings.strength < 0.0,
            "is negative: take 0 (all entries are strong) ... below 1")},
        {IS(reuse, kept && !o->settings.from_caller,
            "is for new values, which a caller of the library gives for its arrays: take "
            "\1reuse=none")},
        {BELONGS(reuse, kept && !amg, "\1precond=amg", precond)},
        {BELONGS(near_null, o->settings.near_null && !amg, "\1precond=amg", precond)},
        {BELONGS(coordinates, o->settings.coordinates && !amg, "\1precond=amg", precond)},
        {EXCLUDES(near_null, o->settings.near_null && o->settings.coordinates, coordinates,
                  "both bring near-null vectors")},
        {BELONGS(adaptive, o->settings.adaptive > 0 && !amg, "\1precond=amg", precond)},
        {EXCLUDES(adaptive, o->settings.adaptive > 0 && o->settings.near_null, near_null,
                  "both bring near-null vectors")},
        {EXCLUDES(adaptive, o->settings.adaptive > 0 && o->settings.coordinates, coordinates,
                  "both bring near-null vectors")},
        {EXCLUDES(block, GIVEN(block) && o->settings.coordinates, coordinates,
                  "both say how many rows a node has")},
        {NEEDS(block,
               GIVEN(block) && !o->settings.near_null && !o->settings.from_caller &&
                   o->settings.adaptive == 0 && o->settings.precond != CGS_PRECOND_JACOBI,
               "\1near-null=FILE, \1adaptive or \1precond=jacobi")},
        {BELONGS(precond_precision, twice && !f64, "\1precision=double", precision)},
        {BELONGS(profile, again && o->settings.profile, "one solve", solves)},
        {BELONGS(inject, again && o->settings.inject.kind != CGS_FAULT_NONE, "one solve", solves)},
        {BELONGS(output,
                 o->settings.command == CGS_COMMAND_SPGEMM && o->settings.output && !o->sort,
                 "\1sort=yes", sort)},
    };
    return CHECK(rules);
}

enum cgs_status cgs_options_check_rules(struct cgs_context *context, const struct cgs_options *o)
{
    CGS_TRY(check_machine(context, o));
    CGS_TRY((cgs_settings_box(&o->settings) ? check_box : check_rows)(context, o));
    if (cgs_settings_box(&o->settings))
        CGS_TRY(check_order(context, o));
    return check_solver(context, o);
}
