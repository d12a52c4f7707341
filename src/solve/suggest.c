/* A table of proposals, the most rewarding first; the first three that apply are printed. Problem
 * and machine of the run are kept, and what the proposal names is changed:
 *
 *     ./bootstrap run --N=128      ./bootstrap run --N=128 --format=none --precond=mg
 */
#include "src/solve/suggest.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "core/io/page.h"
#include "core/options/options.h"

enum { SUGGESTIONS = 3, MANY = 20 }; /* MANY: iterations that a preconditioner could spare */

/* " --NAME=VALUE" as it was given, quoted where a shell would see more than a word. */
static void write_given(FILE *text, const struct cgs_options *o, enum cgs_option_id id)
{
    const bool several = cgs_kind_repeats(cgs_option_table[id].kind);
    const char *value = o->settings.given[id] ? o->texts[id] : NULL;
    for (const char *line = value; line; line = several ? cgs_line_after(line) : NULL) {
        char *word = strndup(line, several ? (size_t)cgs_line_length(line) : strlen(line));
        fprintf(text, " --%s=", cgs_option_table[id].name);
        cgs_page_word(text, word ? word : "");
        free(word);
    }
}

/* Writes the command line behind the program's name, on the heap; NULL: no memory. */
static char *compose(const char *program, const char *change, bool same,
                     const struct cgs_options *o)
{
    static const enum cgs_option_id machine[] = {CGS_OPTION_precision, CGS_OPTION_backend,
                                                 CGS_OPTION_threads, CGS_OPTION_device,
                                                 CGS_OPTION_memory_limit};
    char *line = NULL;
    size_t size;
    FILE *text = open_memstream(&line, &size);
    if (!text)
        return NULL;
    fputs(program, text);
    for (int i = 0; same && i < CGS_OPTIONS; i++)
        if (cgs_option_table[i].group == CGS_GROUP_PROBLEM)
            write_given(text, o, (enum cgs_option_id)i);
    for (size_t i = 0; same && i < sizeof machine / sizeof *machine; i++)
        write_given(text, o, machine[i]);
    fprintf(text, " %s", change);
    if (!same && o->settings.matrix && strncmp(change, "spmv", 4) == 0)
        write_given(text, o, CGS_OPTION_matrix);
    fclose(text);
    if (line)
        cgs_make_plain(line);
    return line;
}

/* Returns true where the program was called by another name, such as "./bootstrap run". */
static bool is_bootstrap(const char *program)
{
    static const char end[] = " run";
    const size_t length = strlen(program);
    return length >= sizeof end && strcmp(program + length - (sizeof end - 1), end) == 0;
}

void cgs_suggest(const struct cgs_page *page, const struct cgs_options *options,
                 const struct cgs_report *report)
{
    const char *program = report->argc > 0 ? report->argv[0] : "";
    const struct cgs_settings *o = &options->settings;
    const bool many = o->precond == CGS_PRECOND_NONE && o->guess == CGS_GUESS_ZERO &&
                      report->result.iterations > MANY;
    const struct {
        bool applies, same; /* same: this problem on this machine */
        const char *change, *remark;
    } proposals[] = {
        {many && !o->matrix, true, "--format=none --precond=mg",
         "multigrid: iterations that do not grow with N"},
        {many && o->matrix, true, "--precond=amg", "algebraic multigrid: fewer iterations"},
        {!o->matrix, false, "study --N=7,15,31 --quadrature=gauss,blended --tol=1e-12",
         "orders of the errors, fitted"},
        {true, false, "spmv --kernel=all", "every kernel verified, timed in turn with the others"},
        {true, false, "doctor", "what slows this machine down, and what mends it"},
    };
    if (!is_bootstrap(program)) {
        if (!o->verbose) {
            cgs_page_section(page, "More");
            fputs("--verbose: all figures; --json=FILE: for programs; --help: options\n",
                  page->file);
        }
        return;
    }
    cgs_page_section(page, "Try next");
    for (int i = 0, count = 0;
         count < SUGGESTIONS && i < (int)(sizeof proposals / sizeof *proposals); i++) {
        if (!proposals[i].applies)
            continue;
        char *line = compose(program, proposals[i].change, proposals[i].same, options);
        if (count++ > 0)
            cgs_page_more(page);
        fprintf(page->file, "%s\n%*s%s\n", line ? line : program, CGS_PAGE_COLUMN + 4, "",
                proposals[i].remark);
        free(line);
    }
}
