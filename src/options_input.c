/* Options that go with where the matrix comes from, and files that are named twice. */
#include <string.h>

#include "src/options.h"
#include "src/output.h"

/* What describes the box, which a matrix from elsewhere does not have. */
static const enum cgs_option_id of_box[] = {CGS_OPTION_n, CGS_OPTION_problem, CGS_OPTION_quadrature,
                                            CGS_OPTION_deform, CGS_OPTION_kappa,
                                            CGS_OPTION_assemble};
enum { OF_BOX = sizeof of_box / sizeof of_box[0] };

const char *cgs_rhs_file(const struct cgs_options *o)
{
    return o->rhs && strcmp(o->rhs, "random") != 0 && strcmp(o->rhs, "ones") != 0 ? o->rhs : NULL;
}

enum cgs_status cgs_options_check_input(struct cgs_context *context, const struct cgs_options *o)
{
    const bool in_memory = cgs_options_memory(o) != NULL;
    const char *elsewhere = in_memory ? "the caller" : o->matrix ? "--matrix" : "--random";
    if (in_memory && o->matrix)
        return cgs_fail(context, CGS_USAGE,
                        "the caller's matrix and --matrix=%s are two: leave one of them out",
                        o->matrix);
    if (o->matrix && o->given[CGS_OPTION_random])
        return cgs_fail(context, CGS_USAGE,
                        "--matrix and --random each bring a matrix: leave one of them out");
    if (cgs_options_box(o) && o->rhs)
        return cgs_fail(context, CGS_USAGE,
                        "--rhs=%s belongs to --matrix=FILE: the right-hand side of the box comes "
                        "with --problem",
                        o->rhs);
    if (o->command == CGS_COMMAND_SPGEMM && o->output && !o->sort)
        return cgs_fail(context, CGS_USAGE,
                        "--output writes rows with ascending columns: leave out --sort=no");
    if (cgs_options_box(o))
        return CGS_OK;
    for (int i = 0; i < OF_BOX; i++)
        if (o->given[of_box[i]])
            return cgs_fail(context, CGS_USAGE,
                            "--%s belongs to the box, but %s brings a matrix of its own: leave one "
                            "of them out",
                            cgs_option_table[of_box[i]].name, elsewhere);
    if (o->given[CGS_OPTION_format] && o->format == CGS_NONE)
        return cgs_fail(context, CGS_USAGE,
                        "--format=none computes from the mesh of the box, but %s brings entries "
                        "without a mesh: take --format=sell or crs",
                        elsewhere);
    if (o->stop == CGS_STOP_DISCRETIZATION)
        return cgs_fail(context, CGS_USAGE,
                        "--stop=discretization belongs to the box: the discretisation error of a "
                        "file's matrix is not known; take --stop=residual");
    return CGS_OK;
}

void cgs_options_settle_input(struct cgs_options *o)
{
    if (cgs_options_box(o))
        return;
    for (int i = 0; i < OF_BOX; i++)
        o->known[of_box[i]] = false;
    if (o->command == CGS_COMMAND_SOLVE && !o->rhs && !cgs_options_memory(o))
        CGS_DECIDE(o, rhs, "random");
}

enum cgs_status cgs_options_check_files(struct cgs_context *context, const struct cgs_options *o)
{
    static const enum cgs_option_id written[] = {CGS_OPTION_json,   CGS_OPTION_history,
                                                 CGS_OPTION_output, CGS_OPTION_save_matrix,
                                                 CGS_OPTION_csv,    CGS_OPTION_plot};
    static const char *const read[] = {"matrix", "rhs", "matrix-b"};
    const char *const names[] = {o->json, o->history, o->output,       o->save_matrix, o->csv,
                                 o->plot, o->matrix,  cgs_rhs_file(o), o->matrix_b};
    enum { WRITTEN = sizeof written / sizeof written[0], NAMES = sizeof names / sizeof names[0] };
    for (int i = 1; i < WRITTEN; i++) { /* all but the report */
        const char *name = cgs_option_table[written[i]].name;
        if (names[i] && o->plan)
            return cgs_fail(context, CGS_USAGE,
                            "--plan %s nothing, so there is no --%s: leave one of them out",
                            o->command == CGS_COMMAND_SOLVE ? "solves" : "computes", name);
        if (i < 4 && names[i] && strcmp(names[i], "-") == 0)
            return cgs_fail(context, CGS_USAGE,
                            "--%s=- would mix with the report: name a file (only --json takes -)",
                            name);
    }
    for (int i = 0; i < WRITTEN; i++)
        for (int j = i + 1; j < NAMES; j++)
            if (names[i] && names[j] && cgs_output_same(names[i], names[j]))
                return cgs_fail(context, CGS_USAGE, "--%s and --%s name the same file '%s'",
                                cgs_option_table[written[i]].name,
                                j < WRITTEN ? cgs_option_table[written[j]].name : read[j - WRITTEN],
                                names[i]);
    return CGS_OK;
}
