/* The matrices that --matrix names. */
#include <ctype.h>
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/plain.h"
#include "core/io/interrupt.h"
#include "matrix/market/market_archive.h"
#include "src/spmv/collection_find.h"

static const char packed[][4] = {".gz", ".xz"};
static const char archives[][6] = {".tar", ".tgz", ".txz"};
static const char texts[][6] = {".mtx", ".rb", ".hb"};

static bool ends(const char *name, size_t length, const char *ending)
{
    const size_t end = strlen(ending);
    return length > end && strncasecmp(name + length - end, ending, end) == 0;
}

/* Returns true for ".rua", ".psa": type, symmetry and form of a Harwell-Boeing matrix. */
static bool ends_as_boeing(const char *name, size_t length)
{
    const char *dot = name + length - 4;
    return length > 4 && dot[0] == '.' && strchr("rcp", tolower((unsigned char)dot[1])) &&
           strchr("suhzr", tolower((unsigned char)dot[2])) && tolower((unsigned char)dot[3]) == 'a';
}

enum kind { OTHER, MATRIX, ARCHIVE };

/* Tells the kind of a file by its name; *stem: length of the name without its endings. */
static enum kind kind_of(const char *name, size_t *stem)
{
    size_t length = strlen(name);
    *stem = length;
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (ends(name, length, packed[i]))
            length -= strlen(packed[i]);
    for (size_t i = 0; i < sizeof archives / sizeof *archives; i++)
        if (ends(name, length, archives[i]))
            return *stem = length - strlen(archives[i]), ARCHIVE;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (ends(name, length, texts[i]))
            return *stem = length - strlen(texts[i]), MATRIX;
    if (ends_as_boeing(name, length))
        return *stem = length - 4, MATRIX;
    return OTHER;
}

void cgs_collection_stamp(const char *path, char *text, size_t size)
{
    struct stat about;
    text[0] = '\0';
    if (stat(path, &about) == 0)
        snprintf(text, size, "%lld bytes of %lld.%09ld", (long long)about.st_size,
                 (long long)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
}

/* Returns the name of the folder that the file lies in, owned by the caller. */
static char *folder_of(const char *path)
{
    const char *base = cgs_base_name(path);
    char *folder = base > path ? strndup(path, (size_t)(base - path)) : strdup(".");
    char *whole = folder ? realpath(folder, NULL) : NULL;
    char *name = whole ? strdup(cgs_base_name(whole)) : NULL;
    free(folder);
    free(whole);
    return name;
}

static bool listed(const struct cgs_collection *c, const char *path, const char *member)
{
    for (int i = 0; i < c->count; i++)
        if (strcmp(c->items[i].file, path) == 0 &&
            strcmp(c->items[i].member ? c->items[i].member : "", member ? member : "") == 0)
            return true;
    return false;
}

static enum cgs_status add(struct cgs_collection *c, const char *path, const char *member)
{
    size_t stem, archive;
    if (listed(c, path, member))
        return CGS_OK;
    struct cgs_collection_item *items =
        realloc(c->items, ((size_t)c->count + 1) * sizeof *c->items);
    if (!items)
        return cgs_fail(c->context, CGS_MEMORY, "no memory for the list of matrices");
    c->items = items;
    const char *base = cgs_base_name(member ? member : path);
    kind_of(base, &stem);
    kind_of(cgs_base_name(path), &archive);
    struct cgs_collection_item *item = &items[c->count++];
    *item = (struct cgs_collection_item){.file = strdup(path),
                                         .member = member ? strdup(member) : NULL,
                                         .name = strndup(base, stem),
                                         .group = member ? strndup(cgs_base_name(path), archive)
                                                         : folder_of(path)};
    cgs_collection_stamp(path, item->stamp, sizeof item->stamp);
    if (!item->file || (member && !item->member) || !item->name || !item->group)
        return cgs_fail(c->context, CGS_MEMORY, "no memory for the list of matrices");
    return CGS_OK;
}

static bool go_on(void *user, int64_t done, int64_t all)
{
    (void)user, (void)done, (void)all;
    return !cgs_interrupted();
}

/* An archive that cannot be read is listed as one matrix, whose row will say why. */
static enum cgs_status add_archive(struct cgs_collection *c, const char *path)
{
    const struct cgs_market_settings settings = {.progress = go_on};
    char **names = NULL, why[256];
    int count = 0;
    const enum cgs_status status = cgs_market_members(c->context, path, &settings, &names, &count);
    if (status != CGS_OK)
        CGS_TRY(cgs_outcome_settle(c->context, NULL, why, sizeof why));
    enum cgs_status added = count == 0 ? add(c, path, NULL) : CGS_OK;
    for (int i = 0; i < count && added == CGS_OK; i++)
        added = add(c, path, names[i]);
    cgs_market_members_release(names, count);
    return added;
}

static enum cgs_status add_file(struct cgs_collection *c, const char *path)
{
    size_t stem;
    return kind_of(cgs_base_name(path), &stem) == ARCHIVE ? add_archive(c, path)
                                                          : add(c, path, NULL);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static enum cgs_status add_folder(struct cgs_collection *c, const char *path)
{
    char *const roots[] = {(char *)path, NULL};
    const int before = c->count;
    size_t stem;
    enum cgs_status status = CGS_OK;
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
    if (!tree)
        return cgs_fail(c->context, CGS_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    for (FTSENT *entry; status == CGS_OK && (entry = fts_read(tree)) != NULL;) {
        if (entry->fts_level > 0 && entry->fts_name[0] == '.')
            fts_set(tree, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_F && kind_of(entry->fts_name, &stem) != OTHER)
            status = add_file(c, entry->fts_path);
        else if (entry->fts_info == FTS_DNR)
            status = cgs_fail(c->context, CGS_FILE, "%s: cannot be opened: %s", entry->fts_path,
                              strerror(entry->fts_errno));
        if (cgs_interrupted() && status == CGS_OK)
            status =
                cgs_fail(c->context, CGS_INTERRUPTED, "interrupted while matrices were listed");
    }
    fts_close(tree);
    if (status == CGS_OK && c->count == before)
        return cgs_fail(c->context, CGS_FILE,
                        "the folder '%s' holds no matrix: none of its files ends in .mtx, .rb, "
                        ".rsa, ... (also .gz, .xz), or .tar (.tar.gz, .tar.xz, .tgz, .txz)",
                        path);
    return status;
}

static enum cgs_status add_path(struct cgs_collection *c, const char *path)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return cgs_fail(c->context, CGS_FILE, "%s: cannot be opened: %s", path, strerror(errno));
    return S_ISDIR(about.st_mode) ? add_folder(c, path) : add_file(c, path);
}

enum cgs_status cgs_collection_find(struct cgs_collection *c, bool *one)
{
    const char *list = c->options->settings.matrix;
    struct stat about;
    const bool there = stat(list, &about) == 0;
    if (there || !strchr(list, ',')) {
        *one = !there; /* the reader says what is wrong */
        if (!there && !c->options->report)
            return CGS_OK;
        CGS_TRY(add_path(c, list));
        *one = !S_ISDIR(about.st_mode) && c->count == 1;
        return CGS_OK;
    }
    *one = false;
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        char *path = strndup(at, length);
        if (!path)
            return cgs_fail(c->context, CGS_MEMORY, "no memory for the list of matrices");
        const enum cgs_status status =
            length > 0 ? add_path(c, path)
                       : cgs_fail(c->context, CGS_USAGE,
                                  "--matrix=%.256s has nothing on one side of a comma: leave the "
                                  "comma out, or name a file there",
                                  list);
        free(path);
        CGS_TRY(status);
        at += length;
        if (*at == '\0')
            return CGS_OK;
    }
}

void cgs_collection_release_items(struct cgs_collection *c)
{
    for (int i = 0; i < c->count; i++) {
        free(c->items[i].file);
        free(c->items[i].member);
        free(c->items[i].name);
        free(c->items[i].group);
    }
    free(c->items);
    c->items = NULL;
    c->count = 0;
}
