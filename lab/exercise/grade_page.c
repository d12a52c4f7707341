/* A page for each submission, to hand to the student, and index.html, the table of all, for the teacher: the template
 * grade.html, filled. A page's name is the file's, in letters that every system takes, and a hash of it: two files
 * have two pages, and the same file has the same page in the next run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/io/json.h"
#include "core/io/output.h"
#include "core/io/version.h"
#include "lab/exercise/grade.h"
#include "lab/io/folder.h"
#include "lab/io/html.h"

static const char template[] = {
#include "lab/exercise/grade.inc" /* grade.html as numbers */
    0};

static const char *const classes[CGS_STATES] = {"good", "bad", "bad", "note"};

typedef char page_name[96];

static const char *name_page(const struct cgs_submission *s, page_name name)
{
    uint32_t sum = UINT32_C(0x811c9dc5);
    int length = 0;
    for (const char *at = s->file; *at; at++) {
        const bool plain = (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z') ||
                           (*at >= 'a' && *at <= 'z') || *at == '.' || *at == '_';
        sum = (sum ^ (unsigned char)*at) * UINT32_C(0x01000193);
        if (length < 64)
            name[length++] = plain ? *at : '-';
    }
    snprintf(name + length, sizeof(page_name) - 64, "-%08x.html", (unsigned)sum);
    return name;
}

/* ---- facts ---- */

/* A line with its tabs as blanks, to the next column of 4. */
static json_t *line_of(const char *text, size_t length)
{
    char *line = malloc(4 * length + 1);
    size_t column = 0;
    if (!line)
        return NULL;
    for (size_t i = 0; i < length && text[i] != '\r'; i++)
        if (text[i] == '\t')
            do
                line[column++] = ' ';
            while (column % 4 != 0);
        else
            line[column++] = text[i] ? text[i] : '?';
    line[column] = '\0';
    json_t *made = cgs_json_text(line);
    free(line);
    return made;
}

static json_t *lines_of(const char *text, size_t size)
{
    json_t *lines = json_array();
    for (const char *end = text + size; text < end;) {
        const char *found = memchr(text, '\n', (size_t)(end - text));
        const size_t length = (size_t)((found ? found : end) - text);
        json_array_append_new(lines, line_of(text, length));
        text += length + 1;
    }
    return lines;
}

static void add_source(json_t *facts, const struct cgs_submission *s)
{
    char *text;
    size_t size;
    if (!s->hash[0] || cgs_grade_read(s->path, &text, &size) != 0)
        return;
    json_object_set_new(facts, "source", json_pack("{so}", "lines", lines_of(text, size)));
    free(text);
}

/* The first line is a sentence; what follows are messages as the compiler has them. */
static void add_reason(json_t *facts, const char *reason)
{
    const size_t length = strcspn(reason, "\n"), rest = strlen(reason + length);
    json_object_set_new(facts, "why", line_of(reason, length));
    if (rest > 1)
        json_object_set_new(facts, "messages",
                            json_pack("{so}", "lines", lines_of(reason + length + 1, rest - 1)));
}

static const char *verdict_words(const struct cgs_submission *s)
{
    static const char *const words[CGS_STATES] = {"Right", "Wrong", "Broken", "Not judged"};
    return words[s->state];
}

/* Makes the facts that the page and the table's row share. Owned by the caller. */
static json_t *facts_of(const struct cgs_submission *s)
{
    char points[64], attained[64] = "";
    page_name page;
    snprintf(points, sizeof points, "%g of %g", cgs_grade_number(s, "points"),
             cgs_grade_number(s, "possible"));
    if (json_is_true(json_object_get(s->verdict, "timed")) &&
        cgs_grade_number(s, "attained") >= 0.0)
        snprintf(attained, sizeof attained, "%.0f %%", 100.0 * cgs_grade_number(s, "attained"));
    const char *slash = strchr(s->file, '/');
    json_t *facts =
        json_pack("{so so so ss ss ss ss}", "student", cgs_json_text(s->student), "below",
                  cgs_json_text(slash ? slash + 1 : s->file), "exercise",
                  cgs_json_text(cgs_grade_text(s, "exercise")), "verdict", verdict_words(s),
                  "class", classes[s->state], "points", points, "attained", attained);
    json_object_set_new(facts, "page", cgs_json_text(name_page(s, page)));
    add_reason(facts, cgs_grade_text(s, "reason"));
    return facts;
}

static json_t *page_of(const struct cgs_submission *s)
{
    static const char *const keys[] = {"title", "hint", "next", "command"};
    cgs_text took;
    json_t *facts = facts_of(s), *root = json_pack("{ss ss so*}", "style", cgs_html_style,
                                                   "version", cgs_version(), "one", facts);
    json_object_set_new(root, "title", cgs_json_text(s->file));
    for (int i = 0; i < 4; i++)
        json_object_set_new(facts, keys[i], cgs_json_text(cgs_grade_text(s, keys[i])));
    json_object_set_new(facts, "date", cgs_json_text(s->date));
    json_object_set_new(facts, "hash", cgs_json_text(s->hash));
    json_object_set_new(facts, "seconds",
                        cgs_json_text(s->seconds > 0.0 ? cgs_seconds_text(s->seconds, took) : ""));
    add_source(facts, s);
    return root;
}

static json_t *index_of(const struct cgs_grade *grade)
{
    char counts[256];
    json_t *rows = json_array();
    for (int i = 0; i < grade->count; i++)
        json_array_append_new(rows, facts_of(&grade->submissions[i]));
    cgs_grade_counts(grade->submissions, grade->count, counts, sizeof counts);
    json_t *all = json_pack("{so so ss}", "rows", rows, "folder", cgs_json_text(grade->folder),
                            "counts", counts);
    return json_pack("{ss ss ss so*}", "style", cgs_html_style, "version", cgs_version(), "title",
                     "Marks", "all", all);
}

/* ---- pages ---- */

/* Releases `facts`. */
static enum cgs_status write_page(const struct cgs_grade *grade, const char *name, json_t *facts)
{
    char path[4300];
    struct cgs_output output = {0};
    snprintf(path, sizeof path, "%.4096s/%s", grade->options->pages, name);
    if (cgs_output_open(grade->context, "the page", path, 0, &output) == CGS_OK &&
        cgs_output_begin(grade->context, &output) == CGS_OK) {
        cgs_html_fill(output.file, template, facts);
        cgs_output_commit(grade->context, &output);
    }
    cgs_output_discard(&output);
    json_decref(facts);
    return grade->context->status;
}

enum cgs_status cgs_grade_page(const struct cgs_grade *grade, const struct cgs_submission *s)
{
    char path[4300];
    page_name name;
    if (!grade->options->pages)
        return CGS_OK;
    name_page(s, name);
    snprintf(path, sizeof path, "%.4096s/%s", grade->options->pages, name);
    if (s->kept && access(path, F_OK) == 0) /* it knows more than the table does */
        return CGS_OK;
    return write_page(grade, name, page_of(s));
}

enum cgs_status cgs_grade_index(const struct cgs_grade *grade)
{
    return grade->options->pages ? write_page(grade, "index.html", index_of(grade)) : CGS_OK;
}

enum cgs_status cgs_grade_pages(const struct cgs_grade *grade)
{
    const char *folder = grade->options->pages;
    struct stat pages, submissions;
    bool made = false;
    char *path = folder ? strdup(folder) : NULL;
    if (!folder)
        return CGS_OK;
    const int error = path ? cgs_folder_make(path, &made) : ENOMEM;
    free(path);
    if (error != 0)
        return cgs_fail(grade->context, CGS_FILE,
                        "cannot make the folder '%s' of the pages: %s; name another one", folder,
                        strerror(error));
    if (stat(grade->folder, &submissions) == 0 && stat(folder, &pages) == 0 &&
        pages.st_dev == submissions.st_dev && pages.st_ino == submissions.st_ino)
        return cgs_fail(grade->context, CGS_USAGE,
                        "--pages=%s is the folder of the submissions: name another one", folder);
    return CGS_OK;
}
