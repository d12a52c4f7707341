/* The table of marks, a row a file:
 *
 *     student,file,exercise,state,points,possible,attained,reason,seconds,date,hash,calls,alike
 *
 * by RFC 4180, each cell on one line. Where a spreadsheet would take a text for a formula, it
 * begins with a '. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/plain.h"
#include "core/io/json.h"
#include "core/io/output.h"
#include "lab/exercise/grade/copies.h"
#include "lab/exercise/grade/grade_csv.h"
#include "lab/exercise/verdict.h"
#include "lab/io/figures.h"

enum column {
    STUDENT,
    FILE_NAME,
    EXERCISE,
    STATE,
    POINTS,
    POSSIBLE,
    ATTAINED,
    REASON,
    SECONDS,
    DATE,
    HASH,
    CALLS,
    ALIKE, /* made anew in each run */
    COLUMNS
};

static const char formula[] = "=+-@";

/* Writes the text as a cell has it. */
static const char *cell(const char *text, cgs_name plain)
{
    size_t length = 0;
    while (isspace((unsigned char)*text))
        text++;
    if (text[0] && strchr(formula, text[0]))
        plain[length++] = '\'';
    for (; *text && length + 1 < sizeof(cgs_name); text++)
        if (!isspace((unsigned char)*text))
            plain[length++] = *text;
        else if (plain[length - 1] != ' ') /* never the first one */
            plain[length++] = ' ';
    plain[length] = '\0';
    cgs_make_plain(plain);
    return plain;
}

/* ---- writing ---- */

/* alike: whose copy it is (copies.h). */
static void write_row(FILE *file, const struct cgs_submission *s, const char *alike, bool head)
{
    cgs_name student, name, exercise, reason, calls, copy;
    const double attained = cgs_grade_number(s, "attained");
    const bool timed = json_is_true(json_object_get(s->verdict, "timed")) && attained >= 0.0;
    const struct cgs_figure figures[COLUMNS] = {
        [STUDENT] = cgs_figure_text("student", true, cell(s->student, student)),
        [FILE_NAME] = cgs_figure_text("file", true, cell(s->file, name)),
        [EXERCISE] =
            cgs_figure_text("exercise", true, cell(cgs_grade_text(s, "exercise"), exercise)),
        [STATE] = cgs_figure_text("state", true, cgs_exercise_state_name(s->state)),
        [POINTS] = cgs_figure_real("points", true, cgs_grade_number(s, "points")),
        [POSSIBLE] = cgs_figure_real("possible", true, cgs_grade_number(s, "possible")),
        [ATTAINED] = cgs_figure_real("attained", timed, attained),
        [REASON] = cgs_figure_text("reason", true, cell(cgs_grade_text(s, "reason"), reason)),
        [SECONDS] = cgs_figure_real("seconds", true, s->seconds),
        [DATE] = cgs_figure_text("date", true, s->date),
        [HASH] = cgs_figure_text("hash", true, s->hash),
        [CALLS] = cgs_figure_text("calls", true, cell(cgs_grade_text(s, "calls"), calls)),
        [ALIKE] = cgs_figure_text("alike", true, cell(alike, copy)),
    };
    (head ? cgs_figures_csv_head : cgs_figures_csv)(file, figures, COLUMNS);
}

enum cgs_status cgs_grade_csv(const struct cgs_grade *grade)
{
    struct cgs_output output;
    CGS_TRY(cgs_output_open(grade->context, "the table of marks", grade->options->csv, 0, &output));
    CGS_TRY(cgs_output_begin(grade->context, &output));
    if (!output.file)
        return CGS_OK;
    write_row(output.file, &grade->submissions[0], "", true);
    for (int i = 0; i < grade->count; i++) {
        char alike[256];
        cgs_copies_of(grade, i, alike, sizeof alike);
        if (grade->submissions[i].verdict)
            write_row(output.file, &grade->submissions[i], alike, false);
    }
    return cgs_output_commit(grade->context, &output);
}

/* ---- reading ---- */

/* Reads a line's cells, owned by the caller; returns their number, which may be more than
 * COLUMNS, of which the first are there. 0: the end of the file. */
static int read_row(FILE *file, char *cells[COLUMNS])
{
    int count = 0, c = getc(file);
    for (int i = 0; i < COLUMNS; i++)
        cells[i] = NULL;
    while (c != EOF) {
        char *text = NULL;
        size_t size;
        FILE *to = open_memstream(&text, &size);
        for (bool quoted = false; to && c != EOF; c = getc(file)) {
            if (c == '"') {
                const int next = quoted ? getc(file) : EOF;
                quoted = !quoted || next == '"';
                if (next == '"')
                    putc('"', to);
                else if (next != EOF)
                    ungetc(next, file);
            } else if (!quoted && (c == ',' || c == '\n')) {
                break;
            } else if (quoted || c != '\r') {
                putc(c, to);
            }
        }
        if (to)
            fclose(to);
        if (count < COLUMNS)
            cells[count] = text;
        else
            free(text);
        count++;
        if (!to || c == '\n' || c == EOF)
            break;
        c = getc(file);
        if (c == EOF) /* an empty last cell */
            break;
    }
    return count;
}

static void release_row(char *cells[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++)
        free(cells[i]);
}

/* Returns true for our own columns, and no others. */
static bool is_head(char *const cells[COLUMNS], int count)
{
    char *text = NULL, nobody[] = "";
    size_t size;
    bool same = count == COLUMNS;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return false;
    write_row(file, &(struct cgs_submission){.student = nobody, .file = nobody}, "", true);
    fclose(file);
    char *key = text;
    for (int i = 0; i < COLUMNS && same; i++) {
        const size_t length = strcspn(key, ",\n");
        same = cells[i] && strncmp(cells[i], key, length) == 0 && cells[i][length] == '\0';
        key += length + 1;
    }
    free(text);
    return same;
}

/* The text of a cell without what was put before a formula. */
static json_t *text_of(const char *text)
{
    return cgs_json_text(text[0] == '\'' && text[1] && strchr(formula, text[1]) ? text + 1 : text);
}

/* Takes the row over where it is this file's, and its contents are the same. */
static bool take(struct cgs_submission *s, char *const cells[COLUMNS])
{
    cgs_name name;
    int state = 0;
    while (state < CGS_EXERCISE_UNJUDGED &&
           strcmp(cells[STATE], cgs_exercise_state_name(state)) != 0)
        state++;
    if (s->verdict || state == CGS_EXERCISE_UNJUDGED || s->hash[0] == '\0' ||
        strcmp(cells[HASH], s->hash) != 0 || strcmp(cells[FILE_NAME], cell(s->file, name)) != 0)
        return false;
    const bool timed = cells[ATTAINED][0] != '\0' || strcmp(cells[REASON], CGS_SPEED_BUSY) == 0;
    s->verdict =
        json_pack("{so ss sf sf sf sb so so}", "exercise", text_of(cells[EXERCISE]), "state",
                  cgs_exercise_state_name(state), "points", strtod(cells[POINTS], NULL), "possible",
                  strtod(cells[POSSIBLE], NULL), "attained",
                  cells[ATTAINED][0] ? strtod(cells[ATTAINED], NULL) : -1.0, "timed", timed,
                  "reason", text_of(cells[REASON]), "calls", text_of(cells[CALLS]));
    s->state = (enum cgs_exercise_state)state;
    s->seconds = strtod(cells[SECONDS], NULL);
    snprintf(s->date, sizeof s->date, "%s", cells[DATE]);
    s->kept = true;
    return true;
}

static bool is_number(const char *text)
{
    char *end;
    const double number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(number);
}

/* Returns true if FOLDER has the file. */
static bool is_there(const struct cgs_grade *grade, const char *file)
{
    cgs_name name;
    for (int i = 0; i < grade->count; i++)
        if (strcmp(file, cell(grade->submissions[i].file, name)) == 0)
            return true;
    return false;
}

static enum cgs_status read_table(struct cgs_grade *grade, FILE *file, FILE *progress)
{
    char *cells[COLUMNS];
    int kept = 0, gone = 0, there = 0, line = 1, count = read_row(file, cells);
    bool right = is_head(cells, count);
    release_row(cells);
    while (right && (count = read_row(file, cells)) > 0) {
        line++;
        right = count == COLUMNS && cells[COLUMNS - 1] && is_number(cells[POINTS]) &&
                is_number(cells[POSSIBLE]);
        const bool ours = right && is_there(grade, cells[FILE_NAME]);
        there += ours;
        gone += !ours;
        for (int i = 0; ours && i < grade->count; i++)
            kept += take(&grade->submissions[i], cells);
        release_row(cells);
    }
    if (!right)
        return cgs_fail(grade->context, CGS_FILE,
                        "'%s' is no table of marks in row %d: expected one that 'cgsolve grade "
                        "--csv=FILE' wrote, with no other columns, and points as 72 or 72.5",
                        grade->options->csv, line);
    if (gone > 0 && there == 0)
        return cgs_fail(grade->context, CGS_USAGE,
                        "'%s' has no file of '%s': --resume goes on with the table of that folder",
                        grade->options->csv, grade->given);
    if (progress)
        fprintf(progress, "%d of %d files are judged already\n", kept, grade->count);
    if (progress && gone > 0)
        fprintf(progress, "%d row%s of files that are gone: left out\n", gone,
                gone == 1 ? "" : "s");
    return CGS_OK;
}

enum cgs_status cgs_grade_resume(struct cgs_grade *grade, FILE *progress)
{
    const char *path = grade->options->csv;
    struct stat there;
    if (!path || stat(path, &there) != 0 || !S_ISREG(there.st_mode) || there.st_size == 0)
        return CGS_OK;
    if (!grade->options->resume)
        return cgs_fail(grade->context, CGS_USAGE,
                        "'%s' is there already: --resume goes on with it; or name another file",
                        path);
    FILE *file = fopen(path, "re");
    if (!file)
        return cgs_fail(grade->context, CGS_FILE, "cannot read the table of marks '%s': %s", path,
                        strerror(errno));
    const enum cgs_status status = read_table(grade, file, progress);
    fclose(file);
    return status;
}
