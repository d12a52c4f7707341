/* The roster of a class, --roster=FILE: a name a line. What follows a comma, a semicolon or a
 * tab is passed over, so that a table whose first column has the names will do. With it a
 * submission is of the longest name that its folder's or file's name begins with, and who handed
 * in nothing gets a row. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lab/exercise/grade/grade_roster.h"

/* Returns the length of a line's name, *name without blanks and quotes before it. */
static size_t find_name(const char **name)
{
    static const char mark[] = "\xef\xbb\xbf"; /* what Windows puts before UTF-8 */
    if (strncmp(*name, mark, sizeof mark - 1) == 0)
        *name += sizeof mark - 1;
    *name += strspn(*name, " \t\"");
    size_t length = strcspn(*name, ",;\t\"\r\n");
    while (length > 0 && (*name)[length - 1] == ' ')
        length--;
    return length;
}

static enum cgs_status add_name(struct cgs_grade *grade, const char *line, int number)
{
    const size_t length = find_name(&line);
    if (length == 0)
        return CGS_OK;
    char **more = realloc(grade->roster, (size_t)(grade->roster_count + 1) * sizeof *more);
    if (more)
        grade->roster = more;
    char *name = more ? strndup(line, length) : NULL;
    if (!name)
        return cgs_fail(grade->context, CGS_MEMORY, "no memory for the roster");
    for (int i = 0; i < grade->roster_count; i++)
        if (strcmp(grade->roster[i], name) == 0) {
            free(name);
            return cgs_fail(grade->context, CGS_FILE,
                            "the roster '%s', line %d: there is a %s already; add what tells them "
                            "apart, as in the names of their folders",
                            grade->options->roster, number, grade->roster[i]);
        }
    grade->roster[grade->roster_count++] = name;
    return CGS_OK;
}

enum cgs_status cgs_grade_roster(struct cgs_grade *grade)
{
    const char *path = grade->options->roster;
    char *line = NULL;
    size_t room = 0;
    FILE *file = path ? fopen(path, "re") : NULL;
    if (!path)
        return CGS_OK;
    if (!file)
        return cgs_fail(grade->context, CGS_FILE, "cannot read the roster '%s': %s", path,
                        strerror(errno));
    enum cgs_status status = CGS_OK;
    for (int number = 1; status == CGS_OK && getline(&line, &room, file) > 0; number++)
        status = add_name(grade, line, number);
    free(line);
    fclose(file);
    if (status == CGS_OK && grade->roster_count == 0)
        return cgs_fail(grade->context, CGS_FILE, "the roster '%s' has no names: one a line", path);
    return status;
}

/* Letters in names of files: blanks are _ there at times, and capitals small. */
static int letter(char c)
{
    return c == '_' ? ' ' : tolower((unsigned char)c);
}

/* Returns true if `text` begins with the name, and the name ends there: "Lea Meyer" is no
 * "Lea Meyerhold". */
static bool begins(const char *text, const char *name)
{
    for (; *name; name++, text++)
        if (letter(*name) != letter(*text))
            return false;
    return !isalnum((unsigned char)*text) && (unsigned char)*text < 0x80;
}

const char *cgs_grade_on_roster(const struct cgs_grade *grade, const char *text)
{
    const char *found = NULL;
    for (int i = 0; i < grade->roster_count; i++)
        if (begins(text, grade->roster[i]) && (!found || strlen(grade->roster[i]) > strlen(found)))
            found = grade->roster[i];
    return found;
}

enum cgs_status cgs_grade_absent(struct cgs_grade *grade)
{
    const int count = grade->count;
    for (int r = 0; r < grade->roster_count; r++) {
        bool there = false;
        for (int i = 0; i < count && !there; i++)
            there = strcmp(grade->submissions[i].student, grade->roster[r]) == 0;
        if (there)
            continue;
        struct cgs_submission *more =
            realloc(grade->submissions, ((size_t)grade->count + 1) * sizeof *more);
        if (more)
            grade->submissions = more;
        char *path = more ? strdup("") : NULL, *student = path ? strdup(grade->roster[r]) : NULL;
        if (!student) {
            free(path);
            return cgs_fail(grade->context, CGS_MEMORY, "no memory for the list of submissions");
        }
        struct cgs_submission *s = &more[grade->count++];
        *s = (struct cgs_submission){.path = path, .file = path, .student = student};
        cgs_grade_say(s, CGS_EXERCISE_BROKEN, "Nothing was handed in.");
    }
    return CGS_OK;
}
