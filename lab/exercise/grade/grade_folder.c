/* The submissions of a folder, and whose they are. Links are not followed: what a student links
 * to is not the student's, and pages show what is read. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/exercise/grade/copies.h"
#include "lab/exercise/grade/grade_folder.h"
#include "lab/io/folder.h"

/* ---- the roster of a class, --roster=FILE ----
 *
 * It has a name a line. What follows a comma, a semicolon or a tab is passed over, so that a table
 * whose first column has the names will do. With it a submission is of the longest name that its
 * folder's or file's name begins with, and who handed in nothing gets a row. */

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

/* Returns the longest name of the roster that the text begins with, NULL if there is none.
 * Borrowed. */
static const char *on_roster(const struct cgs_grade *grade, const char *text)
{
    const char *found = NULL;
    for (int i = 0; i < grade->roster_count; i++)
        if (begins(text, grade->roster[i]) && (!found || strlen(grade->roster[i]) > strlen(found)))
            found = grade->roster[i];
    return found;
}

/* Adds a row for each name of the roster without a submission. */
static enum cgs_status add_absent(struct cgs_grade *grade)
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

/* ---- the folder ---- */

static bool ends(const char *name, const char *with)
{
    const size_t length = strlen(name), end = strlen(with);
    return length >= end && strcmp(name + length - end, with) == 0;
}

/* Returns false for files that systems and editors leave behind, and for what makes a folder an
 * exercise: nobody's submissions. */
static int is_wanted(const struct dirent *entry)
{
    const char *name = entry->d_name;
    return name[0] != '.' && name[0] != '#' && !ends(name, "~") && !ends(name, ".bak") &&
           !ends(name, ".orig") && strcmp(name, "__MACOSX") != 0 &&
           strcmp(name, "Thumbs.db") != 0 && strcmp(name, "desktop.ini") != 0 &&
           strcmp(name, CGS_EXERCISE_FILE) != 0;
}

/* Returns true for the outputs of a run before, which may be in the folder. */
static bool is_output(const struct cgs_grade *grade, const struct stat *there)
{
    const char *const outputs[] = {grade->options->csv, grade->options->gradescope,
                                   grade->options->pages};
    struct stat output;
    for (int i = 0; i < 3; i++)
        if (outputs[i] && stat(outputs[i], &output) == 0 && output.st_dev == there->st_dev &&
            output.st_ino == there->st_ino)
            return true;
    return false;
}

/* A name of the roster, if there is one that fits. Else the first folder, without what Moodle adds
 * to it ("Ada Lovelace_4711_assignsubmission_file"), or the name of a file that is in none, up to
 * the first '_' or its ending; beside a roster up to its ending, since two that are not on it may
 * begin alike. */
static char *student_of(const struct cgs_grade *grade, const char *file)
{
    const char *name = on_roster(grade, file);
    if (name)
        return strdup(name);
    const char *slash = strchr(file, '/'), *moodle = strstr(file, "_assignsubmission_");
    size_t length = slash ? (size_t)(slash - file) : strcspn(file, grade->roster ? "." : "_");
    if (slash && moodle && moodle < slash) {
        const char *end = moodle;
        while (end > file && end[-1] >= '0' && end[-1] <= '9')
            end--;
        length = (size_t)((end > file && end[-1] == '_' ? end - 1 : moodle) - file);
    } else if (!slash && file[length] == '\0' && strrchr(file, '.')) {
        length = (size_t)(strrchr(file, '.') - file);
    }
    return strndup(file, length > 0 ? length : strlen(file));
}

int cgs_grade_read(const char *path, char **text, size_t *size)
{
    struct stat about;
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return errno;
    char *made = NULL;
    size_t done = 0;
    int error = fstat(file, &about) != 0                  ? errno
                : !S_ISREG(about.st_mode)                 ? EINVAL
                : about.st_size > CGS_GRADE_LARGEST       ? EFBIG
                : !(made = malloc(CGS_GRADE_LARGEST + 1)) ? ENOMEM
                                                          : 0;
    for (ssize_t got = 1; error == 0 && got > 0 && done < CGS_GRADE_LARGEST; done += (size_t)got) {
        got = read(file, made + done, CGS_GRADE_LARGEST - done);
        if (got < 0) {
            error = errno;
            break;
        }
    }
    close(file);
    if (error != 0) {
        free(made);
        return error;
    }
    made[done] = '\0';
    *text = made;
    *size = done;
    return 0;
}

static void hash(const char *text, size_t size, char hexadecimal[17])
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    snprintf(hexadecimal, 17, "%016llx", (unsigned long long)sum);
}

/* Reads it; what is no submission gets its verdict. */
static void look_at(struct cgs_submission *submission, const struct stat *there, int error)
{
    char *text = NULL, reason[160];
    size_t size = 0;
    const char *path = submission->path, *why = NULL;
    if (error == 0 && S_ISLNK(there->st_mode))
        why = "It is a link, not a file.";
    else if (error == 0 && !S_ISREG(there->st_mode) && !S_ISDIR(there->st_mode))
        why = "It is no file.";
    else if (error == 0 && !ends(path, ".c") && !ends(path, ".cu") && !ends(path, ".txt"))
        why = "It is not a .c, .cu or .txt: no exercise takes it.";
    if (error == 0 && !why)
        error = cgs_grade_read(path, &text, &size);
    if (error == EFBIG)
        why = "It is larger than 1 MiB: no exercise takes it.";
    if (error == 0 && text) {
        hash(text, size, submission->hash);
        submission->tokens = cgs_copies_tokens(text, size);
    }
    free(text);
    snprintf(reason, sizeof reason, "It can't be read: %s.", strerror(error));
    if (why || error != 0)
        cgs_grade_say(submission, CGS_EXERCISE_BROKEN, why ? why : reason);
}

/* Takes `path` over. */
static enum cgs_status add(struct cgs_grade *grade, char *path, const struct stat *there, int error)
{
    struct cgs_submission *more =
        path ? realloc(grade->submissions, ((size_t)grade->count + 1) * sizeof *more) : NULL;
    if (!more) {
        free(path);
        return cgs_fail(grade->context, CGS_MEMORY, "no memory for the list of submissions");
    }
    struct cgs_submission *submission = &more[grade->count++];
    grade->submissions = more;
    *submission = (struct cgs_submission){.path = path, .file = path + strlen(grade->folder) + 1};
    submission->student = student_of(grade, submission->file);
    look_at(submission, there, error);
    return submission->student ? CGS_OK
                               : cgs_fail(grade->context, CGS_MEMORY, "no memory for a name");
}

static enum cgs_status walk(struct cgs_grade *grade, const char *folder);

/* An entry of a folder: a file, or a folder that is walked. Takes `path` over. */
static enum cgs_status visit(struct cgs_grade *grade, char *path)
{
    struct stat there = {0};
    const int error = path && lstat(path, &there) == 0 ? 0 : errno;
    if (path && error == 0 && (is_output(grade, &there) || S_ISDIR(there.st_mode))) {
        const enum cgs_status status = is_output(grade, &there) ? CGS_OK : walk(grade, path);
        free(path);
        return status;
    }
    return add(grade, path, &there, error);
}

static enum cgs_status walk(struct cgs_grade *grade, const char *folder)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_wanted, alphasort);
    if (count < 0 && strcmp(folder, grade->folder) == 0)
        return cgs_fail(grade->context, CGS_FILE, "cannot read the folder '%s': %s", grade->given,
                        strerror(errno));
    if (count < 0)
        return add(grade, strdup(folder), &(struct stat){0}, errno);
    for (int i = 0; i < count; i++) {
        if (grade->context->status == CGS_OK)
            visit(grade, cgs_folder_join(folder, entries[i]->d_name, ""));
        free(entries[i]);
    }
    free(entries);
    return grade->context->status;
}

/* Returns the tokens of a file of an exercise, `before` where it has none. */
static uint64_t tokens_of(const struct cgs_exercise *exercise, const char *name, uint64_t before)
{
    char *path = cgs_folder_join(exercise->folder, name, exercise->extension), *text = NULL;
    size_t size = 0;
    if (path && cgs_grade_read(path, &text, &size) == 0)
        before = cgs_copies_tokens(text, size);
    free(text);
    free(path);
    return before;
}

enum cgs_status cgs_grade_find(struct cgs_grade *grade)
{
    for (int i = 0; i < grade->exercises.count; i++) {
        struct cgs_exercise *exercise = &grade->exercises.items[i];
        exercise->start = tokens_of(exercise, "start.", 0);
        exercise->model = tokens_of(exercise, "model.", exercise->model);
    }
    CGS_TRY(walk(grade, grade->folder));
    if (grade->count == 0)
        return cgs_fail(
            grade->context, CGS_FILE,
            "'%s' has no file to grade: name the folder with the submissions, which may "
            "be in folders of their own",
            grade->given);
    return add_absent(grade);
}
