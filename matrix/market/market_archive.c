/* Opening of an archive at the right member.
 *
 * A tarball of the SuiteSparse collection has NAME/NAME.mtx, and perhaps NAME/NAME_b.mtx,
 * NAME/NAME_coord.mtx and others. The first member named like its folder is read at once; only
 * without one is the archive read to its end, and opened again at its only .mtx. An archive of
 * many matrices has several such folders, or files that are in no such folder:
 * cgs_market_members lists them. */
#include "matrix/market/market_archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "matrix/market/market_unpack.h"

static bool is_format(const struct cgs_market_text *text, int format)
{
    return (archive_format(text->archive) & ARCHIVE_FORMAT_BASE_MASK) == format;
}

enum cgs_status cgs_market_archive_failed(struct cgs_market_text *text)
{
    if (text->failed != CGS_OK)
        return text->failed;
    const char *said = text->archive ? archive_error_string(text->archive) : NULL;
    if (text->archive && is_format(text, ARCHIVE_FORMAT_ZIP))
        return cgs_market_complain(text, 0,
                                   "damaged zip archive (%s): download it again ('unzip -t' "
                                   "checks it, too)",
                                   said ? said : "not what zip writes");
    return cgs_market_complain(text, 0, "cannot be read: %s", said ? said : "no reason known");
}

/* Passes unpacked bytes to libarchive. */
static la_ssize_t give(struct archive *archive, void *user, const void **bytes)
{
    struct cgs_market_text *text = user;
    int64_t count;
    text->failed = cgs_market_unpack_next(text, bytes, &count);
    if (text->failed == CGS_OK)
        return (la_ssize_t)count;
    archive_set_error(archive, EIO, "no more bytes");
    return -1;
}

enum cgs_status cgs_market_archive_rewind(struct cgs_market_text *text)
{
    if (text->archive) {
        archive_read_free(text->archive);
        text->archive = NULL;
        CGS_TRY(cgs_market_unpack_rewind(text));
    }
    text->archive = archive_read_new();
    if (!text->archive)
        return cgs_fail(text->context, CGS_MEMORY, "%s: no memory for unpacking", text->path);
    archive_read_support_format_tar(text->archive);
    archive_read_support_format_zip_streamable(text->archive);
    archive_read_support_format_raw(text->archive);
    archive_read_support_format_empty(text->archive);
    if (archive_read_open(text->archive, text, NULL, give, NULL) != ARCHIVE_OK)
        return cgs_market_archive_failed(text);
    return CGS_OK;
}

enum cgs_status cgs_market_archive_next(struct cgs_market_text *text, struct archive_entry **entry)
{
    const int got = archive_read_next_header(text->archive, entry);
    if (got == ARCHIVE_EOF)
        *entry = NULL;
    else if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
        return cgs_market_archive_failed(text);
    return CGS_OK;
}

/* Rank of a member: 2 for "a/NAME/NAME.mtx", 1 for any other .mtx, else 0. */
static int rank_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    const size_t length = strlen(base);
    if (length < 5 || strcmp(base + length - 4, ".mtx") != 0)
        return 0;
    const size_t stem = length - 4;
    const size_t before = slash ? (size_t)(slash - name) : 0;
    return before >= stem && memcmp(slash - stem, base, stem) == 0 &&
                   (before == stem || slash[-1 - (ptrdiff_t)stem] == '/')
               ? 2
               : 1;
}

struct members {
    int matrices;     /* members that end in .mtx */
    int64_t first;    /* number of the first one */
    char names[1024]; /* of matrices, or of all members if there is none, as far as they fit */
    size_t length;
};

static void note(struct members *members, const char *name, bool matrix, int64_t number)
{
    if (matrix && members->matrices++ == 0) {
        members->first = number;
        members->length = 0; /* other names are no longer needed */
    }
    if ((!matrix && members->matrices > 0) || members->length + 300 > sizeof members->names)
        return;
    members->length += (size_t)snprintf(members->names + members->length, 256, "%s%.200s",
                                        members->length > 0 ? ", " : "", name);
}

/* Selects the member that *entry heads; bounds its number of bytes. */
static void take(struct cgs_market_text *text, struct archive_entry *entry)
{
    snprintf(text->member, sizeof text->member, "%s", archive_entry_pathname(entry));
    if (archive_entry_size_is_set(entry))
        text->text_bytes = archive_entry_size(entry);
}

/* Selects the member of that name. */
static enum cgs_status take_named(struct cgs_market_text *text, struct archive_entry *entry,
                                  const char *wanted)
{
    while (entry && (archive_entry_filetype(entry) != AE_IFREG || !archive_entry_pathname(entry) ||
                     strcmp(archive_entry_pathname(entry), wanted) != 0))
        CGS_TRY(cgs_market_archive_next(text, &entry));
    if (!entry)
        return cgs_market_complain(text, 0, "the archive holds no member '%.200s'", wanted);
    return take(text, entry), CGS_OK;
}

static enum cgs_status find_member(struct cgs_market_text *text, struct archive_entry *entry)
{
    struct members members = {0};
    int64_t number = 0;
    if (text->settings && text->settings->member)
        return take_named(text, entry, text->settings->member);
    for (; entry; number++) {
        const char *name = archive_entry_pathname(entry);
        if (name && archive_entry_filetype(entry) == AE_IFREG) {
            const int rank = rank_of(name);
            if (rank == 2)
                return take(text, entry), CGS_OK;
            note(&members, name, rank > 0, number);
        }
        CGS_TRY(cgs_market_archive_next(text, &entry));
    }
    if (members.matrices == 0)
        return cgs_market_complain(text, 0, "the archive holds no .mtx file; it holds: %s",
                                   members.length > 0 ? members.names : "nothing");
    if (members.matrices > 1)
        return cgs_market_complain(text, 0,
                                   "the archive holds %d .mtx files and none that is called like "
                                   "its folder (NAME/NAME.mtx): unpack the one that is meant: %s",
                                   members.matrices, members.names);
    CGS_TRY(cgs_market_archive_rewind(text));
    for (number = 0; number <= members.first; number++) {
        CGS_TRY(cgs_market_archive_next(text, &entry));
        if (!entry)
            return cgs_market_complain(text, 0, "the archive has changed while it was read");
    }
    return take(text, entry), CGS_OK;
}

enum cgs_status cgs_market_archive_open(struct cgs_market_text *text)
{
    struct archive_entry *entry;
    text->text_bytes = INT64_MAX;
    CGS_TRY(cgs_market_unpack_open(text));
    CGS_TRY(cgs_market_archive_rewind(text));
    CGS_TRY(cgs_market_archive_next(text, &entry));
    text->zip = is_format(text, ARCHIVE_FORMAT_ZIP);
    text->ended = !entry && !is_format(text, ARCHIVE_FORMAT_TAR);
    if (is_format(text, ARCHIVE_FORMAT_TAR))
        CGS_TRY(find_member(text, entry));
    /* Without a filter there is at most as much text as file, whatever the archive's header
     * says. */
    if (!text->packed && text->reader.regular && text->text_bytes > text->reader.bytes)
        text->text_bytes = text->reader.bytes;
    return CGS_OK;
}

/* ---- all matrices of an archive ---- */

struct member_list {
    char **names; /* owned */
    int count;
};

static enum cgs_status append(struct cgs_market_text *text, const char *name,
                              struct member_list *list)
{
    char **names = realloc(list->names, ((size_t)list->count + 1) * sizeof *names);
    char *copy = strdup(name);
    list->names = names ? names : list->names;
    if (!names || !copy) {
        free(copy);
        return cgs_fail(text->context, CGS_MEMORY, "%s: no memory for the names of its members",
                        text->path);
    }
    names[list->count++] = copy;
    return CGS_OK;
}

static size_t folder_length(const char *name)
{
    const char *slash = strrchr(name, '/');
    return slash ? (size_t)(slash - name) + 1 : 0;
}

/* Returns true if the member stands beside one named like their folder: a right-hand side,
 * coordinates. */
static bool is_companion(const struct member_list *list, const char *name)
{
    const size_t length = folder_length(name);
    for (int i = 0; i < list->count && rank_of(name) == 1; i++)
        if (list->names[i] && rank_of(list->names[i]) == 2 &&
            folder_length(list->names[i]) == length && memcmp(list->names[i], name, length) == 0)
            return true;
    return false;
}

static void drop_companions(struct member_list *list)
{
    int left = 0;
    for (int i = 0; i < list->count; i++)
        if (is_companion(list, list->names[i])) {
            free(list->names[i]);
            list->names[i] = NULL;
        }
    for (int i = 0; i < list->count; i++)
        if (list->names[i])
            list->names[left++] = list->names[i];
    list->count = left;
}

void cgs_market_members_release(char **names, int count)
{
    for (int i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

static enum cgs_status list_members(struct cgs_market_text *text, struct member_list *list)
{
    struct archive_entry *entry;
    CGS_TRY(cgs_market_unpack_open(text));
    CGS_TRY(cgs_market_archive_rewind(text));
    CGS_TRY(cgs_market_archive_next(text, &entry));
    for (bool tar = is_format(text, ARCHIVE_FORMAT_TAR); tar && entry;) {
        const char *name = archive_entry_pathname(entry);
        if (name && archive_entry_filetype(entry) == AE_IFREG && rank_of(name) > 0)
            CGS_TRY(append(text, name, list));
        CGS_TRY(cgs_market_archive_next(text, &entry));
    }
    drop_companions(list);
    return CGS_OK;
}

enum cgs_status cgs_market_members(struct cgs_context *context, const char *path,
                                   const struct cgs_market_settings *settings, char ***names,
                                   int *count)
{
    struct member_list list = {0};
    struct cgs_market_text text = {
        .context = context, .path = path, .settings = settings, .reader = {.file = -1}};
    const enum cgs_status status = list_members(&text, &list);
    cgs_market_archive_close(&text);
    if (status != CGS_OK) {
        cgs_market_members_release(list.names, list.count);
        return status;
    }
    *names = list.names;
    *count = list.count;
    return CGS_OK;
}

void cgs_market_archive_close(struct cgs_market_text *text)
{
    if (text->archive)
        archive_read_free(text->archive);
    text->archive = NULL;
    cgs_market_unpack_close(text);
}
