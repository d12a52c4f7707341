/* A page for each submission, to hand to the student, and index.html, the table of all, for the
 * teacher. A page's name is the file's, in letters that every system takes, and a hash of it:
 * two files have two pages, and the same file has the same page in the next run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/io/version.h"
#include "lab/exercise/grade/copies.h"
#include "lab/exercise/grade/grade_folder.h"
#include "lab/exercise/grade/grade_page.h"
#include "lab/exercise/grade/grade_sums.h"
#include "lab/io/folder.h"
#include "lab/io/html_page.h"

static const char *const classes[CGS_STATES] = {"good", "bad", "bad", "note"};

typedef char page_name[96];

static const char *name_page(const struct cgs_submission *s, page_name name)
{
    uint32_t sum = UINT32_C(0x811c9dc5);
    int length = 0;
    for (const char *at = s->file[0] ? s->file : s->student; *at; at++) { /* no file: absent */
        const bool plain = (*at >= '0' && *at <= '9') || (*at >= 'A' && *at <= 'Z') ||
                           (*at >= 'a' && *at <= 'z') || *at == '.' || *at == '_';
        sum = (sum ^ (unsigned char)*at) * UINT32_C(0x01000193);
        if (length < 64)
            name[length++] = plain ? *at : '-';
    }
    snprintf(name + length, sizeof(page_name) - 64, "-%08x.html", (unsigned)sum);
    return name;
}

/* ---- parts ---- */

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

/* Adds the lines of a text to the list `key` of a section. */
static void add_lines(json_t *section, const char *key, const char *text, size_t size)
{
    json_t *lines = cgs_html_list(section, key);
    for (const char *end = text + size; text < end;) {
        const char *found = memchr(text, '\n', (size_t)(end - text));
        const size_t length = (size_t)((found ? found : end) - text);
        json_array_append_new(lines, line_of(text, length));
        text += length + 1;
    }
}

static void add_source(json_t *page, const struct cgs_submission *s)
{
    char *text;
    size_t size;
    if (!s->hash[0] || cgs_grade_read(s->path, &text, &size) != 0)
        return;
    add_lines(cgs_html_section(page, "What was judged"), "source", text, size);
    free(text);
}

/* The first line of a reason is a sentence; what follows are messages as the compiler has them. */
static json_t *sentence_of(const char *reason)
{
    return line_of(reason, strcspn(reason, "\n"));
}

static const char *verdict_words(const struct cgs_submission *s)
{
    static const char *const words[CGS_STATES] = {"Right", "Wrong", "Broken", "Not judged"};
    return words[s->state];
}

static const char *write_points(const struct cgs_submission *s, cgs_text text)
{
    snprintf(text, sizeof(cgs_text), "%g of %g", cgs_grade_number(s, "points"),
             cgs_grade_number(s, "possible"));
    return text;
}

/* The speed in parts of the reference's; "" where it was not measured. */
static const char *write_attained(const struct cgs_submission *s, cgs_text text)
{
    text[0] = '\0';
    if (json_is_true(json_object_get(s->verdict, "timed")) &&
        cgs_grade_number(s, "attained") >= 0.0)
        snprintf(text, sizeof(cgs_text), "%.0f %%", 100.0 * cgs_grade_number(s, "attained"));
    return text;
}

/* The path below the student's folder. */
static const char *below(const struct cgs_submission *s)
{
    const char *slash = strchr(s->file, '/');
    return slash ? slash + 1 : s->file;
}

static void add_verdict(json_t *page, const struct cgs_submission *s)
{
    const char *reason = cgs_grade_text(s, "reason");
    const size_t sentence = strcspn(reason, "\n"), rest = strlen(reason + sentence);
    json_t *section = cgs_html_section(page, NULL);
    cgs_text points, attained;
    char text[200], look[32];
    const char *speed = cgs_grade_text(s, "speed"); /* the table of an earlier run has none */
    snprintf(look, sizeof look, "verdict %s", classes[s->state]);
    write_attained(s, attained);
    snprintf(text, sizeof text, "%s points%s%s%s", write_points(s, points),
             speed[0]      ? ". Speed: "
             : attained[0] ? ", "
                           : "",
             speed[0] ? speed : attained, !speed[0] && attained[0] ? " of the rival's speed" : "");
    cgs_put_text(section, "look", look);
    cgs_put_text(section, "lead", verdict_words(s));
    cgs_put_text(section, "rest", text);
    if (sentence > 0)
        cgs_html_say(section, sentence_of(reason));
    if (rest > 1)
        add_lines(cgs_html_section(page, NULL), "messages", reason + sentence + 1, rest - 1);
}

static void add_words(json_t *page, const char *title, const char *text)
{
    if (text[0])
        cgs_html_say(cgs_html_section(page, title), cgs_json_text(text));
}

static json_t *page_of(const struct cgs_submission *s)
{
    cgs_text took;
    char about[4300], hash[64] = "", program[64];
    const char *title = cgs_grade_text(s, "title");
    snprintf(about, sizeof about, "%.150s%s%.4096s", title, title[0] ? ": " : "", below(s));
    json_t *page = cgs_html_page(s->file, s->student, about);
    cgs_put_yes(page, "narrow", true);
    add_verdict(page, s);
    add_words(page, "A hint", cgs_grade_text(s, "hint"));
    add_words(page, "What it moves", cgs_grade_text(s, "moved"));
    add_words(page, "What to read next", cgs_grade_text(s, "next"));
    add_source(page, s);
    json_t *section = cgs_html_section(page, "How it was judged");
    if (s->hash[0])
        snprintf(hash, sizeof hash, "FNV-1a %s", s->hash);
    snprintf(program, sizeof program, "cgsolve %s", cgs_version());
    cgs_put_text(section, "command", cgs_grade_text(s, "command"));
    cgs_html_pair(section, "run", "date", s->date);
    cgs_html_pair(section, "run", "time taken",
                  s->seconds > 0.0 ? cgs_seconds_text(s->seconds, took) : "");
    cgs_html_pair(section, "run", "contents", hash);
    cgs_html_pair(section, "run", "program", program);
    return page;
}

static void add_row(json_t *row, const struct cgs_grade *grade, int which)
{
    const struct cgs_submission *s = &grade->submissions[which];
    char alike[256];
    cgs_text text;
    page_name page;
    cgs_html_name(row, "word", s->student);
    cgs_put_text(cgs_html_cell(row, "word name", below(s)), "link", name_page(s, page));
    char kind[32];
    snprintf(kind, sizeof kind, "word %s", classes[s->state]);
    cgs_html_cell(row, kind, verdict_words(s));
    cgs_html_cell(row, "", write_points(s, text));
    cgs_html_cell(row, "", write_attained(s, text));
    cgs_html_cell(row, "word", cgs_grade_text(s, "exercise"));
    cgs_put_part(cgs_html_cell(row, "word words", ""), "text",
                 sentence_of(cgs_grade_text(s, "reason")));
    cgs_copies_of(grade, which, alike, sizeof alike);
    cgs_put_part(cgs_html_cell(row, "word words", ""), "text", cgs_json_text(alike));
}

/* A row a student, a column an exercise. */
static void add_sums(json_t *page, const struct cgs_grade *grade)
{
    json_t *section = cgs_html_section(page, "Students");
    json_t *table = cgs_html_table(section, "Students", NULL, "<student|sum");
    const char *exercise;
    cgs_text text;
    for (int i = 0; (exercise = cgs_grade_tried(grade, i)) != NULL; i++)
        cgs_html_head(table, exercise);
    json_t *body = cgs_html_add(table, "bodies");
    for (int k = 0; k < grade->count; k++) {
        const char *student = grade->submissions[k].student;
        if (!cgs_grade_is_first(grade, k))
            continue;
        json_t *row = cgs_html_add(body, "rows");
        cgs_html_name(row, "word", student);
        snprintf(text, sizeof text, "%g", cgs_grade_sum(grade, student));
        cgs_html_cell(row, "", text);
        for (int i = 0; (exercise = cgs_grade_tried(grade, i)) != NULL; i++) {
            const double best = cgs_grade_best(grade, student, exercise);
            snprintf(text, sizeof text, "%g", best);
            cgs_html_cell(row, "", best >= 0.0 ? text : "");
        }
    }
    cgs_put_text(section, "note", "Of each exercise the best file of a student counts.");
}

static json_t *index_of(const struct cgs_grade *grade)
{
    char counts[256], about[4400];
    cgs_grade_counts(grade->submissions, grade->count, counts, sizeof counts);
    snprintf(about, sizeof about, "%.4096s: %s", grade->given, counts);
    json_t *page = cgs_html_page("Marks", "Marks", about);
    if (cgs_grade_adds_up(grade))
        add_sums(page, grade);
    json_t *section = cgs_html_section(page, NULL);
    json_t *table = cgs_html_table(section, "Marks", NULL,
                                   "<student|<file|<verdict|points|speed|<exercise|<why|<alike");
    json_t *body = cgs_html_add(table, "bodies");
    for (int i = 0; i < grade->count; i++)
        add_row(cgs_html_add(body, "rows"), grade, i);
    cgs_put_text(section, "note",
                 "Speed: in parts of the rival's, a kernel of ours that the page names, of those "
                 "that are right. The pages behind "
                 "the names can be handed on as they are.");
    return page;
}

/* ---- pages ---- */

/* Releases `page`. */
static enum cgs_status write_page(const struct cgs_grade *grade, const char *name, json_t *page)
{
    char path[4300];
    snprintf(path, sizeof path, "%.4096s/%s", grade->options->pages, name);
    return cgs_html_write(grade->context, "the page", path, page);
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
