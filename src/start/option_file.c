#include "src/start/option_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/reader.h"
#include "core/io/interrupt.h"
#include "core/options/option_table.h"

/* Limits: files read for one @FILE of the command line, bytes of a file, bytes of a line. */
enum { FILES_MOST = 64, BYTES_MOST = 1 << 20, LINE_MOST = 1 << 15 };

struct reading {
    struct cgs_context *context;
    struct cgs_command_line *line;
    char *command; /* owned; NULL: none is named yet */
    struct cgs_origin command_origin;
    int files; /* read for this @FILE so far */
};

/* ---- words ---- */

static void no_memory(struct cgs_context *context)
{
    cgs_fail(context, CGS_MEMORY, "no memory for the command line");
}

/* Makes room for `count` elements of an array that is doubled where it is full. Returns false,
 * with the array as it was, if there is no memory. */
static bool make_room(void **array, int count, int room, size_t size)
{
    if (count <= room)
        return true;
    void *larger = realloc(*array, 2 * (size_t)count * size);
    if (larger)
        *array = larger;
    return larger != NULL;
}

/* Adds a word, and takes its ownership; NULL: there was no memory for it. */
static void add_word(struct reading *r, char *word, struct cgs_origin origin)
{
    struct cgs_command_line *line = r->line;
    const int count = line->word_count + 3; /* with the command, and the NULL at the end */
    void *words = line->words, *origins = line->origins;
    const bool room = make_room(&words, count, line->word_room, sizeof *line->words) &&
                      make_room(&origins, count, line->word_room, sizeof *line->origins);
    line->words = words;
    line->origins = origins;
    if (!room || !word) {
        free(word);
        no_memory(r->context);
        return;
    }
    if (count > line->word_room)
        line->word_room = 2 * count;
    line->words[line->word_count] = word;
    line->origins[line->word_count++] = origin;
}

/* Adds the name of a file; returns its number, from 1 on. */
static int add_file(struct reading *r, const char *path)
{
    struct cgs_command_line *line = r->line;
    const int count = line->file_count + 1;
    void *files = line->files;
    char *name = strdup(path);
    const bool room = make_room(&files, count, line->file_room, sizeof *line->files);
    line->files = files;
    if (!room || !name) {
        free(name);
        no_memory(r->context);
        return 0;
    }
    if (count > line->file_room)
        line->file_room = 2 * count;
    line->files[line->file_count] = name;
    return ++line->file_count;
}

/* Notes the command, unless one is known. */
static void name_command(struct reading *r, const char *name, struct cgs_origin origin)
{
    if (r->command)
        return;
    r->command = strdup(name);
    r->command_origin = origin;
    if (!r->command)
        no_memory(r->context);
}

static bool is_command(const char *word)
{
    for (int i = 0; i < CGS_COMMANDS; i++)
        if (strcmp(word, cgs_command_name((enum cgs_command)i)) == 0)
            return true;
    return false;
}

static int option_of(const char *word, const char **value)
{
    *value = NULL;
    return word[0] == '-' && word[1] != '\0' ? cgs_option_named(word, value) : -1;
}

/* Returns true for an option whose value is to be the next word. */
static bool lacks_value(const char *word)
{
    const char *value;
    const int id = option_of(word, &value);
    return id >= 0 && !value && cgs_option_table[id].kind != CGS_KIND_FLAG;
}

/* ---- lines ---- */

static const char blanks[] = " \t", ends[] = " \t\r";

/* Puts file and line before the message of a failure. */
static void locate(struct reading *r, struct cgs_origin origin)
{
    if (origin.file > 0)
        cgs_fail_before(r->context, "%s:%d: ", r->line->files[origin.file - 1], origin.line);
}

/* Fails for bytes that no text has, and for a line that is too long. */
static enum cgs_status check_text(struct cgs_context *context, const char *line, size_t length)
{
    while (length > 0 && line[length - 1] != '\0' && strchr(ends, line[length - 1]))
        length--;
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)line[i];
        if ((byte < ' ' && byte != '\t') || byte == 0x7f)
            return cgs_fail(context, CGS_FILE,
                            "byte 0x%02x in column %zu: a file of options is plain text (ASCII or "
                            "UTF-8), an option a line",
                            byte, i + 1);
    }
    if (length > LINE_MOST)
        return cgs_fail(context, CGS_FILE,
                        "a line of %zu bytes: a file of options has an option a line, of at most "
                        "%d bytes",
                        length, LINE_MOST);
    return CGS_OK;
}

/* Cuts off blanks, and a comment: from # at the beginning, or behind a blank. */
static char *trim(char *line)
{
    line += strspn(line, blanks);
    const char *comment = line;
    while ((comment = strchr(comment, '#')) && comment > line && !strchr(blanks, comment[-1]))
        comment++;
    size_t length = comment ? (size_t)(comment - line) : strlen(line);
    line[length] = '\0';
    while (length > 0 && strchr(ends, line[length - 1]))
        line[--length] = '\0';
    return line;
}

/* Fails for a value that was meant otherwise: in quotes, or with a further option in it. */
static enum cgs_status check_value(struct cgs_context *context, const char *value)
{
    const size_t length = strlen(value);
    const char *unused;
    for (const char *at = value; (at = strstr(at, " --")); at++)
        if (option_of(at + 1, &unused) >= 0)
            return cgs_fail(context, CGS_USAGE,
                            "'%s' stands within a value, which goes to the end of its line: each "
                            "option needs a line of its own",
                            at + 1);
    if (length > 1 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0])
        return cgs_fail(context, CGS_USAGE,
                        "%s: leave out the quotes, which a file of options takes as part of the "
                        "value",
                        value);
    return CGS_OK;
}

/* Reads a line NAME, NAME=VALUE or NAME VALUE, with or without dashes, or a command on the first
 * one. */
static void read_option(struct reading *r, const char *text, struct cgs_origin origin, bool first)
{
    const size_t dashes = strspn(text, "-"), length = strcspn(text, "= \t");
    const char *value = text + length + strspn(text + length, blanks);
    const bool equals = *value == '=';
    value += equals;
    value += strspn(value, blanks);
    if (length == dashes) {
        cgs_fail(r->context, CGS_USAGE,
                 "'%s' has no name: expected an option, such as N=32 or --N=32", text);
        return;
    }
    const size_t size = strlen("--=") + length + strlen(value) + 1;
    char *word = malloc(size);
    if (!word) {
        no_memory(r->context);
        return;
    }
    const char *unused;
    const int used = snprintf(word, size, "%s%.*s", dashes > 0 ? "" : "--", (int)length, text);
    const bool known = option_of(word, &unused) >= 0;
    const bool command = dashes == 0 && !equals && is_command(word + 2);
    if (first && dashes == 0 && !equals && !*value && (command || (!known && !r->command))) {
        name_command(r, text, origin);
        free(word);
        return;
    }
    if (command && !known)
        cgs_fail(r->context, CGS_USAGE,
                 "'%s': a command stands on the first line of a file, and alone there", text);
    if (known)
        check_value(r->context, value);
    /* An option without its value must not take the next word. */
    if (equals || *value || lacks_value(word))
        snprintf(word + used, size - (size_t)used, "=%s", value);
    add_word(r, word, origin);
}

/* ---- files ---- */

static bool go_on(void *user)
{
    (void)user;
    return !cgs_interrupted();
}

/* Reads the file to its end; *text: owned by the caller, with a '\0' behind its `size` bytes. */
static enum cgs_status load(struct cgs_context *context, const char *path, char **text,
                            size_t *size)
{
    size_t room = 4096, used = 0;
    int64_t got = 1;
    struct cgs_reader reader = {.file = -1};
    const int error = cgs_reader_open(&reader, path);
    if (error != 0)
        return cgs_fail(context, CGS_FILE, "cannot read the options in '%s': %s", path,
                        strerror(error));
    reader.wanted = go_on;
    char *bytes = malloc(room);
    while (bytes && got > 0 && used <= BYTES_MOST) {
        if (used + 1 == room) {
            char *larger = realloc(bytes, room *= 2);
            if (!larger)
                free(bytes);
            bytes = larger;
        }
        got = bytes ? cgs_reader_read(&reader, bytes + used, room - 1 - used) : 0;
        used += got > 0 ? (size_t)got : 0;
    }
    cgs_reader_close(&reader);
    if (!bytes)
        cgs_fail(context, CGS_MEMORY, "no memory for the options in '%s'", path);
    else if (cgs_interrupted())
        cgs_fail(context, CGS_INTERRUPTED, "interrupted while reading the options in '%s'", path);
    else if (got < 0)
        cgs_fail(context, CGS_FILE, "cannot read the options in '%s': %s", path,
                 strerror((int)-got));
    else if (used > BYTES_MOST)
        cgs_fail(context, CGS_FILE,
                 "'%s' is longer than %d bytes: expected a file of options, one a line", path,
                 BYTES_MOST);
    else {
        bytes[used] = '\0';
        *text = bytes;
        *size = used;
        return CGS_OK;
    }
    free(bytes);
    return context->status;
}

static void read_file(struct reading *r, const char *path, struct cgs_origin from);

/* Reads the file that a line names, relative to the folder of the line's own. */
static void read_included(struct reading *r, const char *name, struct cgs_origin origin)
{
    const char *file = r->line->files[origin.file - 1], *slash = strrchr(file, '/');
    const int folder = slash && name[0] != '/' ? (int)(slash + 1 - file) : 0;
    const size_t size = (size_t)folder + strlen(name) + 1;
    char *path = malloc(size);
    if (!path) {
        no_memory(r->context);
        return;
    }
    snprintf(path, size, "%.*s%s", folder, file, name);
    read_file(r, path, origin);
    free(path);
}

/* Reads a line that is not empty; the message of a failure has its place. */
static void read_line(struct reading *r, const char *line, struct cgs_origin origin, bool first)
{
    const bool fine = r->context->status == CGS_OK;
    const char *name = line[0] == '@' ? line + 1 + strspn(line + 1, blanks) : NULL;
    if (name && name[0] != '\0') {
        read_included(r, name, origin); /* says where it fails */
        return;
    }
    if (name)
        cgs_fail(r->context, CGS_USAGE, "'@' names no file: expected @FILE");
    else
        read_option(r, line, origin, first);
    if (fine && r->context->status != CGS_OK)
        locate(r, origin);
}

static void read_lines(struct reading *r, int file, char *text, size_t size)
{
    static const char mark[] = "\xef\xbb\xbf"; /* with which editors of Windows begin UTF-8 */
    char *at = text, *const end = text + size;
    bool first = true;
    if (strncmp(at, mark, strlen(mark)) == 0)
        at += strlen(mark);
    for (int number = 1; at < end && r->context->status != CGS_MEMORY; number++) {
        const struct cgs_origin origin = {file, number};
        const bool fine = r->context->status == CGS_OK;
        char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        if (check_text(r->context, at, (size_t)(stop - at)) != CGS_OK) {
            if (fine)
                locate(r, origin);
            return;
        }
        *stop = '\0';
        const char *line = trim(at);
        if (line[0] != '\0') {
            read_line(r, line, origin, first);
            first = false;
        }
        at = stop + 1;
    }
}

/* Reads a file that is named at `from`. */
static void read_file(struct reading *r, const char *path, struct cgs_origin from)
{
    char *text = NULL;
    size_t size = 0;
    const bool fine = r->context->status == CGS_OK;
    if (++r->files > FILES_MOST) {
        cgs_fail(r->context, CGS_FILE,
                 "'%s' would be read after %d files: do they name each other in a circle?", path,
                 FILES_MOST);
    } else {
        const int file = add_file(r, path);
        if (file > 0 && load(r->context, path, &text, &size) == CGS_OK) {
            read_lines(r, file, text, size);
            free(text);
            return;
        }
    }
    if (fine)
        locate(r, from);
}

/* ---- the command line ---- */

/* Returns the option at a word; -1: none. *count: its words, 2 with a value of its own. */
static int option_at(const struct cgs_command_line *line, int at, int *count)
{
    const char *value, *unused;
    const int id = option_of(line->words[at], &value);
    const bool apart = lacks_value(line->words[at]) && at + 1 < line->word_count &&
                       option_of(line->words[at + 1], &unused) < 0;
    *count = apart ? 2 : 1;
    return id;
}

/* Drops options that another file, or the command line, gives again further on. */
static void drop_overridden(struct cgs_command_line *line)
{
    int last[CGS_OPTIONS] = {0}, kept = 1, count, id;
    for (int i = 1; i < line->word_count && strcmp(line->words[i], "--") != 0; i += count)
        if ((id = option_at(line, i, &count)) >= 0)
            last[id] = line->origins[i].file;
    bool alone = false;
    for (int i = 1; i < line->word_count; i += count) {
        alone = alone || strcmp(line->words[i], "--") == 0;
        count = 1;
        id = alone ? -1 : option_at(line, i, &count);
        const bool drop = id >= 0 && !cgs_kind_repeats(cgs_option_table[id].kind) &&
                          line->origins[i].file != last[id];
        for (int k = i; k < i + count; k++)
            if (drop) {
                free(line->words[k]);
            } else {
                line->words[kept] = line->words[k];
                line->origins[kept++] = line->origins[k];
            }
    }
    line->word_count = kept;
}

/* Puts the command before the other words. Without one a word would be taken for it where it
 * comes first. */
static void put_command(struct reading *r)
{
    struct cgs_command_line *line = r->line;
    if (!r->command && line->word_count > 1 && line->words[1][0] != '-')
        name_command(r, cgs_command_name(CGS_COMMAND_SOLVE), (struct cgs_origin){0, 0});
    if (!r->command)
        return;
    const size_t others = (size_t)line->word_count - 1;
    memmove(line->words + 2, line->words + 1, others * sizeof *line->words);
    memmove(line->origins + 2, line->origins + 1, others * sizeof *line->origins);
    line->words[1] = r->command;
    line->origins[1] = r->command_origin;
    line->word_count++;
    r->command = NULL;
}

/* Returns true for @FILE. A word from a script of Windows, which the parser refuses, is none. */
static bool is_file(const char *word)
{
    return word[0] == '@' && word[strlen(word) - 1] != '\r';
}

static void read_word_file(struct reading *r, const char *word, int at)
{
    r->files = 0;
    if (word[1] != '\0')
        read_file(r, word + 1, (struct cgs_origin){0, at});
    else
        cgs_fail(r->context, CGS_USAGE,
                 "'@' (word %d) names no file: expected @FILE, a file of options, one a line", at);
}

/* Reads the words. The command may stand behind files: the first other word, unless it is an
 * option. */
static void read_words(struct reading *r, int argc, const char *const *argv)
{
    bool alone = false, value = false; /* the word has to be one; is that of the option before it */
    int first = 1;
    while (first < argc && is_file(argv[first]))
        first++;
    if (first < argc && argv[first][0] != '-' && (first == 1 || is_command(argv[first])))
        name_command(r, argv[first], (struct cgs_origin){0, first});
    const bool named = r->command != NULL;
    for (int i = 0; i < argc && r->context->status != CGS_MEMORY; i++) {
        const char *word = argv[i];
        if (i > 0 && !alone && !value && is_file(word))
            read_word_file(r, word, i);
        else if (i == first && named)
            ;
        else if (i == first && word[0] != '-' && !r->command)
            name_command(r, word, (struct cgs_origin){0, i});
        else
            add_word(r, strdup(word), (struct cgs_origin){0, i});
        alone = alone || (!value && strcmp(word, "--") == 0);
        value = i > 0 && !alone && !value && lacks_value(word);
    }
}

enum cgs_status cgs_command_line_read(struct cgs_context *context, int argc,
                                      const char *const *argv, struct cgs_command_line *line)
{
    struct reading r = {.context = context, .line = line};
    int at = 1;
    *line = (struct cgs_command_line){.arguments = {.argc = argc, .argv = argv}};
    while (at < argc && argv[at][0] != '@')
        at++;
    if (at >= argc) /* no file */
        return CGS_OK;
    read_words(&r, argc, argv);
    if (context->status != CGS_MEMORY) {
        drop_overridden(line);
        put_command(&r);
    }
    free(r.command);
    if (line->words)
        line->words[line->word_count] = NULL;
    line->arguments = (struct cgs_arguments){.argc = line->word_count,
                                             .argv = (const char *const *)line->words,
                                             .origins = line->origins,
                                             .files = (const char *const *)line->files,
                                             .file_count = line->file_count};
    return context->status;
}

void cgs_command_line_release(struct cgs_command_line *line)
{
    for (int i = 0; i < line->word_count; i++)
        free(line->words[i]);
    for (int i = 0; i < line->file_count; i++)
        free(line->files[i]);
    free(line->words);
    free(line->files);
    free(line->origins);
}
