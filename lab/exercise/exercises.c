/* The list of exercises. Those that come with the program are in share/cgsolve/exercises beside it,
 * where it was built, or where `make install` put them: relative to the program, so that it may be
 * moved with all that it has. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/plain.h"
#include "base/spelling.h"
#include "lab/exercise/exercises.h"
#include "lab/exercise/verdict.h"
#include "lab/io/folder.h"

static const struct {
    const char *name;
    cgs_exercise_judge *judge;
} judges[] = {{"product", cgs_judge_product},
              {"warp-a-row", cgs_judge_warp_a_row},
              {"sell", cgs_judge_sell},
              {"matrix-free", cgs_judge_matrix_free},
              {"sort", cgs_judge_sort},
              {"fuse", cgs_judge_fuse},
              {"cg", cgs_judge_cg},
              {"fourth-order", cgs_judge_fourth_order},
              {"vcycle", cgs_judge_vcycle},
              {"thread-a-row", cgs_judge_thread_a_row},
              {"transfer", cgs_judge_transfer},
              {"rounding", cgs_judge_rounding}};
enum { JUDGES = sizeof judges / sizeof *judges };

/* ---- exercise.ini ---- */

static const char hints[] = CGS_EXERCISE_HINTS;

/* A file of settings while it is read. */
struct settings {
    struct cgs_context *context;
    char name[PATH_MAX + 2]; /* in quotes, for messages */
    struct cgs_exercise *exercise;
};

/* Refuses keys that would be read in vain. */
static enum cgs_status check_keys(const struct settings *s)
{
    static const char *const keys[] = {"title", "file",    "gpu",    "judge", "minutes",
                                       "next",  "seconds", "number", "model", "hint.wrong"};
    enum { KEYS = sizeof keys / sizeof *keys };
    for (int i = 0; i < s->exercise->pairs.count; i++) {
        const struct cgs_pair *pair = &s->exercise->pairs.items[i];
        bool known = strncmp(pair->key, hints, sizeof hints - 1) == 0;
        for (int k = 0; k < KEYS; k++)
            known = known || strcmp(pair->key, keys[k]) == 0;
        const int nearest = known ? -1 : cgs_nearest(pair->key, keys, KEYS);
        if (!known)
            return cgs_fail(s->context, CGS_FILE,
                            "%s, line %d: there is no key '%s'%s%s%s; keys are title, file, gpu, "
                            "judge, seconds, minutes, next, number, model and hint.CODE",
                            s->name, pair->line, pair->key, nearest < 0 ? "" : "; did you mean '",
                            nearest < 0 ? "" : keys[nearest], nearest < 0 ? "" : "'?");
    }
    return CGS_OK;
}

/* Takes a text, which has to be there unless the caller has put a default into *text. */
static enum cgs_status take_text(const struct settings *s, const char *key, const char **text)
{
    const char *value = cgs_pairs_get(&s->exercise->pairs, key);
    if (value && value[0])
        *text = value;
    return *text ? CGS_OK
                 : cgs_fail(s->context, CGS_FILE, "%s lacks the line '%s = ...'", s->name, key);
}

/* Takes a whole number; *number is the default. */
static enum cgs_status take_number(const struct settings *s, const char *key, int *number)
{
    enum { MOST = 10000 };
    char *end;
    const char *value = cgs_pairs_get(&s->exercise->pairs, key);
    const long given = value ? strtol(value, &end, 10) : *number;
    if (value && (end == value || *end != '\0' || given < 1 || given > MOST))
        return cgs_fail(s->context, CGS_FILE,
                        "%s: %s is '%s', should be a whole number from 1 to %d", s->name, key,
                        value, MOST);
    *number = (int)given;
    return CGS_OK;
}

/* Takes one of some words, of which the first is the default unless *which is -1. */
static enum cgs_status take_choice(const struct settings *s, const char *key,
                                   const char *const *words, int count, int *which)
{
    const char *value = *which < 0 ? NULL : words[0];
    char all[256] = "";
    CGS_TRY(take_text(s, key, &value));
    for (*which = 0; *which < count; ++*which)
        if (strcmp(words[*which], value) == 0)
            return CGS_OK;
    for (int i = 0; i < count; i++)
        cgs_append(all, sizeof all, "%s%s", i > 0 ? ", " : "", words[i]);
    return cgs_fail(s->context, CGS_FILE, "%s: %s is '%s', should be one of %s", s->name, key,
                    value, all);
}

/* Takes the judge: one of ours, or a program in the exercise's folder. */
static enum cgs_status take_judge(const struct settings *s)
{
    const char *names[JUDGES + 1];
    struct cgs_exercise *e = s->exercise;
    const char *value = NULL;
    char path[PATH_MAX];
    int which = -1;
    CGS_TRY(take_text(s, "judge", &value));
    for (int i = 0; i < JUDGES; i++)
        names[i] = judges[i].name;
    names[JUDGES] = "./PROGRAM in its folder";
    if (strncmp(value, "./", 2) != 0) {
        CGS_TRY(take_choice(s, "judge", names, JUDGES + 1, &which));
        e->judge = judges[which].judge;
        return CGS_OK;
    }
    snprintf(path, sizeof path, "%s/%.*s", e->folder, (int)strcspn(value, " ") - 2, value + 2);
    if (access(path, X_OK) != 0)
        return cgs_fail(s->context, CGS_FILE,
                        "%s: its judge '%s' can't be executed: %s; a script begins with #!, and "
                        "'chmod +x' makes it a program",
                        s->name, path, strerror(errno));
    e->judge = cgs_judge_program;
    e->program = value;
    return CGS_OK;
}

/* Refuses hints for codes that our judges do not give. */
static enum cgs_status check_hints(const struct settings *s)
{
    const size_t length = sizeof hints - 1;
    for (int i = 0; i < s->exercise->pairs.count && !s->exercise->program; i++) {
        const struct cgs_pair *pair = &s->exercise->pairs.items[i];
        if (strncmp(pair->key, hints, length) == 0 && !cgs_mistake_is_code(pair->key + length))
            return cgs_fail(s->context, CGS_FILE,
                            "%s, line %d: no verdict has the code '%s'; doc/exercises.md lists "
                            "the codes",
                            s->name, pair->line, pair->key + length);
    }
    return CGS_OK;
}

static enum cgs_status take_model(const struct settings *s)
{
    char *end = NULL;
    const char *value = cgs_pairs_get(&s->exercise->pairs, "model");
    s->exercise->model = value ? strtoull(value, &end, 16) : 0;
    return !value || (strlen(value) == 16 && *end == '\0')
               ? CGS_OK
               : cgs_fail(s->context, CGS_FILE,
                          "%s: model is '%s', should be 16 hexadecimal digits", s->name, value);
}

/* Takes the values of exercise.ini. */
static enum cgs_status take_all(const struct settings *s)
{
    static const char *const extensions[] = {"c", "cu", "txt"}, *const answers[] = {"no", "yes"};
    struct cgs_exercise *e = s->exercise;
    int extension = -1, device = 0;
    e->next = "";
    e->minutes = 10;
    e->seconds = 60;
    CGS_TRY(check_keys(s));
    CGS_TRY(take_text(s, "title", &e->title));
    CGS_TRY(take_choice(s, "file", extensions, 3, &extension));
    CGS_TRY(take_choice(s, "gpu", answers, 2, &device));
    CGS_TRY(take_judge(s));
    CGS_TRY(check_hints(s));
    CGS_TRY(take_number(s, "minutes", &e->minutes));
    CGS_TRY(take_number(s, "seconds", &e->seconds));
    CGS_TRY(take_number(s, "number", &e->number));
    CGS_TRY(take_text(s, "next", &e->next));
    CGS_TRY(take_model(s));
    e->extension = extensions[extension];
    e->device = device == 1;
    return CGS_OK;
}

/* ---- folders ---- */

static void release(struct cgs_exercise *exercise)
{
    cgs_pairs_release(&exercise->pairs);
    free(exercise->folder);
    *exercise = (struct cgs_exercise){0};
}

/* Returns true if the name can be part of a file's name, a line of the progress, and a mark. */
static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    const size_t length = strlen(name);
    return strchr(letters, name[0]) && length < 40 && strspn(name, all) == length;
}

/* Reads exercise.ini of exercise->folder. */
static enum cgs_status read_one(struct cgs_context *context, struct cgs_exercise *exercise,
                                FILE *file)
{
    struct settings s = {.context = context, .exercise = exercise};
    exercise->name = strrchr(exercise->folder, '/') + 1;
    snprintf(s.name, sizeof s.name, "'%s/" CGS_EXERCISE_FILE "'", exercise->folder);
    if (!is_name(exercise->name))
        return cgs_fail(context, CGS_FILE,
                        "'%s': the name of an exercise begins with a letter, and has only letters, "
                        "digits, - and _, fewer than 40",
                        exercise->folder);
    CGS_TRY(cgs_pairs_read(context, file, s.name, &exercise->pairs));
    return take_all(&s);
}

/* Puts the exercise into the list, where it takes the place of another one of its name. */
static enum cgs_status put(struct cgs_context *context, struct cgs_exercises *exercises,
                           struct cgs_exercise *exercise)
{
    int at = 0;
    while (at < exercises->count && strcmp(exercises->items[at].name, exercise->name) != 0)
        at++;
    if (at == CGS_EXERCISES_MOST)
        return cgs_fail(context, CGS_FILE, "'%s': there are %d exercises already", exercise->folder,
                        at);
    if (at == exercises->count)
        exercises->count++;
    else if (exercise->number == 0)
        exercise->number = exercises->items[at].number;
    release(&exercises->items[at]);
    exercises->items[at] = *exercise;
    *exercise = (struct cgs_exercise){0};
    return CGS_OK;
}

/* Reads the exercise in a folder, if it has one. Takes `folder` over. */
static enum cgs_status read_folder(struct cgs_context *context, char *folder,
                                   struct cgs_exercises *exercises, int *found)
{
    struct cgs_exercise exercise = {.folder = folder};
    char *path = folder ? cgs_folder_join(folder, CGS_EXERCISE_FILE, "") : NULL;
    FILE *file = path ? fopen(path, "re") : NULL;
    enum cgs_status status = CGS_OK;
    if (file) {
        status = read_one(context, &exercise, file);
        fclose(file);
        if (status == CGS_OK)
            status = put(context, exercises, &exercise);
        ++*found;
    } else if (!path || (errno != ENOENT && errno != ENOTDIR)) {
        status = cgs_fail(context, path ? CGS_FILE : CGS_MEMORY, "'%s' can't be read: %s",
                          path ? path : "an exercise", strerror(errno));
    }
    free(path);
    release(&exercise);
    return status;
}

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Reads all exercises of a folder. */
static enum cgs_status read_all(struct cgs_context *context, const char *folder,
                                struct cgs_exercises *exercises)
{
    struct dirent **entries;
    int found = 0;
    const int count = scandir(folder, &entries, is_shown, alphasort);
    if (count < 0)
        return cgs_fail(context, CGS_FILE, "cannot read the folder of exercises '%s': %s", folder,
                        strerror(errno));
    for (int i = 0; i < count; i++) {
        if (context->status == CGS_OK)
            read_folder(context, cgs_folder_join(folder, entries[i]->d_name, ""), exercises,
                        &found);
        free(entries[i]);
    }
    free(entries);
    if (context->status == CGS_OK && found == 0)
        return cgs_fail(context, CGS_FILE,
                        "'%s' has no exercise: expected are folders NAME with a file NAME/%s, as "
                        "doc/teaching.md says",
                        folder, CGS_EXERCISE_FILE);
    return context->status;
}

/* Returns the folder of those that come with the program, owned by the caller; NULL: not found. */
static char *find_shipped(void)
{
    static const char *const places[] = {"share", CGS_DATA}; /* where it was built; installed */
    char program[PATH_MAX], path[2 * PATH_MAX];
    struct stat about;
    const ssize_t length = readlink(CGS_CHILD_SELF, program, sizeof program - 1);
    if (length <= 0)
        return NULL;
    program[length] = '\0';
    *strrchr(program, '/') = '\0';
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s/cgsolve/exercises", program, places[i]);
        if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
            return realpath(path, NULL);
    }
    return NULL;
}

static int compare(const void *a_, const void *b_)
{
    const struct cgs_exercise *a = a_, *b = b_;
    const unsigned first = (unsigned)a->number - 1, second = (unsigned)b->number - 1;
    return first != second ? (first < second ? -1 : 1) : strcmp(a->name, b->name);
}

enum cgs_status cgs_exercises_read(struct cgs_context *context, const char *more,
                                   struct cgs_exercises *exercises)
{
    *exercises = (struct cgs_exercises){.shipped = find_shipped()};
    if (exercises->shipped)
        CGS_TRY(read_all(context, exercises->shipped, exercises));
    if (more)
        CGS_TRY(read_all(context, more, exercises));
    if (exercises->count == 0)
        return cgs_fail(context, CGS_FILE,
                        "the exercises are not found: they should be in share/cgsolve/exercises of "
                        "the folder in which cgsolve is installed; --exercises=DIR names another "
                        "folder");
    qsort(exercises->items, (size_t)exercises->count, sizeof *exercises->items, compare);
    return CGS_OK;
}

void cgs_exercises_release(struct cgs_exercises *exercises)
{
    for (int i = 0; i < exercises->count; i++)
        release(&exercises->items[i]);
    free(exercises->shipped);
    exercises->count = 0;
    exercises->shipped = NULL;
}

/* ---- one of them ---- */

enum cgs_status cgs_exercise_find(struct cgs_context *context,
                                  const struct cgs_exercises *exercises, const char *name,
                                  int *which)
{
    const char *names[CGS_EXERCISES_MOST];
    char *end;
    const long number = strtol(name, &end, 10);
    const int count = exercises->count;
    *which = (int)number - 1;
    if (isdigit((unsigned char)name[0]) && *end == '\0' && 1 <= number && number <= count)
        return CGS_OK;
    for (*which = 0; *which < count; ++*which) {
        names[*which] = exercises->items[*which].name;
        if (strcmp(name, names[*which]) == 0)
            return CGS_OK;
    }
    const int nearest = cgs_nearest(name, names, count);
    return cgs_fail(context, CGS_USAGE,
                    "there is no exercise '%s'%s%s%s; 'cgsolve exercise list' lists them", name,
                    nearest < 0 ? "" : "; did you mean '", nearest < 0 ? "" : names[nearest],
                    nearest < 0 ? "" : "'?");
}

/* Copies the name behind the mark in a line; false: there is no mark. */
static bool read_mark(const char *line, char *name, size_t size)
{
    static const char mark[] = "cgsolve exercise:";
    const char *found = strstr(line, mark);
    if (!found)
        return false;
    found += sizeof mark - 1;
    found += strspn(found, " \t");
    snprintf(name, size, "%.*s", (int)strcspn(found, " \t\r\n*"), found);
    return true;
}

enum cgs_status cgs_exercise_of(struct cgs_context *context, const struct cgs_exercises *exercises,
                                const char *file, int *which)
{
    struct stat about;
    char line[1024], name[64];
    if (stat(file, &about) == 0 && !S_ISREG(about.st_mode)) /* opening a pipe would block */
        return cgs_fail(context, CGS_FILE, "'%s' is no regular file", file);
    FILE *stream = fopen(file, "re");
    if (!stream)
        return cgs_fail(context, CGS_FILE, "'%s' can't be read: %s", file, strerror(errno));
    bool found = false;
    while (!found && fgets(line, sizeof line, stream))
        found = read_mark(line, name, sizeof name);
    fclose(stream);
    if (found)
        return cgs_exercise_find(context, exercises, name, which);
    return cgs_fail(context, CGS_FILE,
                    "'%s' does not say which exercise it is for: keep the line 'cgsolve exercise: "
                    "NAME' of the file that you began with, or give --exercise=NAME",
                    file);
}
