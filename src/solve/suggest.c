/* A table of proposals, the most rewarding first; the first three that apply are printed.
 *
 * The person's problem and machine are kept (--N, --matrix, --backend, --format, ...), and one thing is changed:
 *
 *     cgsolve --N=128 --format=sell      ./bootstrap run --N=128 --format=none --precond=mg
 */
#include "src/solve/suggest.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "core/io/page.h"

enum { SUGGESTIONS = 3, MANY = 20 }; /* iterations that a preconditioner could spare */

static bool of_box(const struct cgs_report *report)
{
    return !report->options->matrix;
}

/* CUDA was looked for, by a program that has it, and is not to be had. */
static bool lost_device(const struct cgs_report *report)
{
    return report->machine.why[0] && cgs_backend(CGS_CUDA);
}

static bool iterates_much(const struct cgs_report *report)
{
    const struct cgs_options *o = report->options;
    return o->precond == CGS_PRECOND_NONE && o->guess == CGS_GUESS_ZERO &&
           report->result.iterations > MANY;
}

static bool takes_multigrid(const struct cgs_report *report)
{
    return of_box(report) && iterates_much(report);
}

static bool takes_algebraic(const struct cgs_report *report)
{
    return !of_box(report) && iterates_much(report);
}

static bool has_entries(const struct cgs_report *report)
{
    const struct cgs_options *o = report->options;
    return of_box(report) && o->format != CGS_NONE && o->precond != CGS_PRECOND_AMG;
}

static bool on_device(const struct cgs_report *report)
{
    return has_entries(report) && report->machine.device == CGS_CUDA;
}

/* Second order, where fourth is one option away. */
static bool takes_blended(const struct cgs_report *report)
{
    const struct cgs_options *o = report->options;
    return of_box(report) && o->quadrature == CGS_GAUSS && cgs_mesh_plain(&report->mesh) &&
           o->problem->terms > 0 && !o->problem->product_rhs && o->precision != CGS_PRECISION_F32;
}

static bool takes_pass(const struct cgs_report *report)
{
    return of_box(report) && report->options->precond == CGS_PRECOND_MG &&
           report->options->guess == CGS_GUESS_ZERO && !report->options->problem->product_rhs;
}

static bool not_profiled(const struct cgs_report *report)
{
    return !report->has_profile && report->options->solves == 1 && report->result.iterations > 0;
}

static bool always(const struct cgs_report *report)
{
    (void)report;
    return true;
}

static const struct proposal {
    bool (*applies)(const struct cgs_report *report);
    enum { SAME, OWN, OF_FILE } what; /* this problem; another one, or only the file's matrix */
    const char *command, *options, *remark;
} proposals[] = {
    {lost_device, OWN, "doctor", "", "why no GPU computes here, and what mends it"},
    {takes_multigrid, SAME, "", "--format=none --precond=mg",
     "multigrid: iterations that do not grow with N"},
    {takes_algebraic, SAME, "", "--precond=amg", "algebraic multigrid: fewer iterations"},
    {on_device, SAME, "", "--format=none", "no matrix to read: the operator from the mesh"},
    {takes_pass, SAME, "", "--format=none --guess=fmg --max-iterations=0",
     "as accurate as the mesh, without an iteration"},
    {of_box, OWN, "study", "--N=7,15,31 --quadrature=gauss,blended --tol=1e-12",
     "orders of the errors, fitted"},
    {always, OF_FILE, "spmv", "--kernel=all", "every kernel verified, timed beside the others"},
    {takes_blended, SAME, "", "--quadrature=blended --tol=1e-12", "fourth order at the nodes"},
    {has_entries, SAME, "", "--format=none", "no matrix to read: the operator from the mesh"},
    {not_profiled, SAME, "", "--profile", "what each step of an iteration took"},
    {always, OWN, "doctor", "", "what slows this machine down, and what mends it"},
    {always, OWN, "list", "", "kernels, preconditioners, problems, backends"},
};

enum { PROPOSALS = sizeof proposals / sizeof proposals[0] };

static bool is_command(const char *name)
{
    for (int i = 0; i < CGS_COMMANDS; i++)
        if (strcmp(name, cgs_command_name((enum cgs_command)i)) == 0)
            return true;
    return name[0] == '\0';
}

/* " --NAME=VALUE" as it was given, quoted where a shell would see more than a word. */
static void write_given(FILE *text, const struct cgs_options *o, enum cgs_option_id id)
{
    const bool several = cgs_option_table[id].kind == CGS_KIND_TEXTS;
    const char *value = o->given[id] ? o->texts[id] : NULL;
    for (const char *line = value; line; line = several ? cgs_line_after(line) : NULL) {
        char *word = strndup(line, several ? (size_t)cgs_line_length(line) : strlen(line));
        fprintf(text, " --%s=", cgs_option_table[id].name);
        cgs_page_word(text, word ? word : "");
        free(word);
    }
}

/* Writes the options of the command line that describe problem and machine, but for those that `p`
 * replaces. */
static void write_kept(FILE *text, const struct proposal *p, const struct cgs_options *o)
{
    static const enum cgs_option_id kept[] = {
        CGS_OPTION_n,          CGS_OPTION_cells,       CGS_OPTION_size,     CGS_OPTION_problem,
        CGS_OPTION_quadrature, CGS_OPTION_deform,      CGS_OPTION_kappa,    CGS_OPTION_source,
        CGS_OPTION_exact,      CGS_OPTION_face,        CGS_OPTION_material, CGS_OPTION_region,
        CGS_OPTION_let,        CGS_OPTION_matrix,      CGS_OPTION_rhs,      CGS_OPTION_format,
        CGS_OPTION_precision,  CGS_OPTION_precond,     CGS_OPTION_backend,  CGS_OPTION_threads,
        CGS_OPTION_device,     CGS_OPTION_memory_limit};
    char name[64];
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        snprintf(name, sizeof name, "--%s=", cgs_option_table[kept[i]].name);
        if (!strstr(p->options, name))
            write_given(text, o, kept[i]);
    }
}

/* The command line, on the heap; NULL where there is no memory. */
static char *compose(const struct proposal *p, const struct cgs_options *o, const char *program)
{
    char *line = NULL;
    size_t size;
    FILE *text = open_memstream(&line, &size);
    if (!text)
        return NULL;
    fprintf(text, "%s%s%s", program, p->command[0] ? " " : "", p->command);
    if (p->what == SAME)
        write_kept(text, p, o);
    else if (p->what == OF_FILE && o->matrix)
        write_given(text, o, CGS_OPTION_matrix);
    fprintf(text, "%s%s", p->options[0] ? " " : "", p->options);
    fclose(text);
    if (line)
        cgs_make_plain(line);
    return line;
}

/* Two rules may propose the same. */
static bool is_repeated(const struct proposal *const *chosen, int count, const struct proposal *p)
{
    for (int i = 0; i < count; i++)
        if (strcmp(chosen[i]->command, p->command) == 0 &&
            strcmp(chosen[i]->options, p->options) == 0)
            return true;
    return false;
}

/* Returns true where the program was called by another name, such as "./bootstrap run". */
static bool is_bootstrap(const char *program)
{
    static const char end[] = " run";
    const size_t length = strlen(program);
    return length >= sizeof end && strcmp(program + length - (sizeof end - 1), end) == 0;
}

void cgs_suggest(const struct cgs_page *page, const struct cgs_report *report)
{
    const char *program = report->argc > 0 ? report->argv[0] : "";
    const struct proposal *chosen[SUGGESTIONS];
    char *lines[SUGGESTIONS];
    int count = 0, width = 0;
    if (!is_bootstrap(program)) {
        if (!report->options->verbose) {
            cgs_page_section(page, "More");
            fputs("--verbose: all figures; --json=FILE: for programs; --help: options\n",
                  page->file);
        }
        return;
    }
    for (int i = 0; i < PROPOSALS && count < SUGGESTIONS; i++)
        if (is_command(proposals[i].command) && proposals[i].applies(report) &&
            !is_repeated(chosen, count, &proposals[i]))
            chosen[count++] = &proposals[i];
    for (int i = 0; i < count; i++) {
        lines[i] = compose(chosen[i], report->options, program);
        const int length = lines[i] ? (int)strlen(lines[i]) : 0;
        width = length > width ? length : width;
    }
    cgs_page_section(page, "Try next");
    for (int i = 0; i < count; i++) {
        const int beside = CGS_PAGE_COLUMN + width + 2 + (int)strlen(chosen[i]->remark);
        if (i > 0)
            cgs_page_more(page);
        const bool below = beside > cgs_page_width();
        fprintf(page->file, "%-*s  ", below ? 0 : width, lines[i] ? lines[i] : program);
        if (below)
            fprintf(page->file, "\n%*s", CGS_PAGE_COLUMN + 4, "");
        fprintf(page->file, "%s\n", chosen[i]->remark);
        free(lines[i]);
    }
}
