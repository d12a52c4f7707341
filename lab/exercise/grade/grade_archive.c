/* Submissions in an archive, as Moodle's .zip: they are unpacked into a folder of this run's, and
 * go with it. Of a file no more is written than shows that it is too large for a submission, and
 * a link becomes one that leads nowhere, so that it gets its row and no more. Libarchive takes
 * names in UTF-8 in such a locale alone, while the program's is C. */
#define _GNU_SOURCE /* newlocale */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lab/exercise/grade/grade_archive.h"
#include "lab/exercise/grade/grade_folder.h"
#include "lab/io/folder.h"

enum { ENTRIES_MOST = 100000, BLOCK = 1 << 16 };

struct unpacking {
    struct cgs_context *context;
    const char *file;
    struct archive *archive;
};

static enum cgs_status complain(const struct unpacking *u, const char *what, const char *which)
{
    return cgs_fail(u->context, CGS_FILE, "cannot unpack '%s': %s%s", u->file, what, which);
}

/* Returns true if one of the path's parts is "..". */
static bool leads_out(const char *path)
{
    for (const char *part = path; *part; part += strcspn(part, "/")) {
        part += strspn(part, "/");
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return true;
    }
    return false;
}

static enum cgs_status write_file(const struct unpacking *u, const char *path)
{
    char block[BLOCK];
    la_ssize_t got = 0, put = 0;
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (file < 0)
        return complain(u, strerror(errno), "");
    for (la_ssize_t done = 0; done <= CGS_GRADE_LARGEST && put == got; done += got) {
        got = archive_read_data(u->archive, block, sizeof block);
        if (got <= 0)
            break;
        put = write(file, block, (size_t)got);
    }
    const bool full = got > 0 && put != got;
    close(file);
    return got < 0 ? complain(u, archive_error_string(u->archive), "")
           : full  ? complain(u, "no room in the folder of temporary files: ", path)
                   : CGS_OK;
}

/* Unpacks what the entry heads into the folder. */
static enum cgs_status unpack_entry(const struct unpacking *u, struct archive_entry *entry,
                                    const char *folder)
{
    const char *name = archive_entry_pathname(entry);
    if (archive_entry_filetype(entry) == AE_IFDIR)
        return CGS_OK;
    if (!name)
        return complain(u, "the name of a file can't be read", "");
    if (leads_out(name))
        return complain(u, "a name leads out of its folder: ", name);
    char *path = cgs_folder_join(folder, name + strspn(name, "/"), ""), *end;
    if (!path)
        return cgs_fail(u->context, CGS_MEMORY, "no memory for the name of a file");
    bool made;
    end = strrchr(path, '/');
    *end = '\0';
    const int error = cgs_folder_make(path, &made);
    *end = '/';
    enum cgs_status status = CGS_OK;
    if (error != 0)
        status = complain(u, strerror(error), "");
    else if (archive_entry_filetype(entry) == AE_IFREG && !archive_entry_hardlink(entry))
        status = write_file(u, path);
    else if (symlink("/nowhere/a link", path) != 0)
        status = complain(u, strerror(errno), "");
    free(path);
    return status;
}

static enum cgs_status unpack_all(const struct unpacking *u, const char *folder)
{
    struct archive_entry *entry;
    int count = 0, got;
    archive_read_support_filter_all(u->archive);
    archive_read_support_format_zip(u->archive);
    archive_read_support_format_tar(u->archive);
    got = archive_read_open_filename(u->archive, u->file, BLOCK);
    if (got == ARCHIVE_OK)
        got = archive_read_next_header(u->archive, &entry);
    if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
        return cgs_fail(u->context, CGS_FILE,
                        "'%s' is neither a folder of submissions nor a .zip or .tar of them",
                        u->file);
    while (got == ARCHIVE_OK || got == ARCHIVE_WARN) {
        if (++count > ENTRIES_MOST)
            return complain(u, "it holds more files than a class hands in", "");
        CGS_TRY(unpack_entry(u, entry, folder));
        got = archive_read_next_header(u->archive, &entry);
    }
    return got == ARCHIVE_EOF ? CGS_OK : complain(u, archive_error_string(u->archive), "");
}

enum cgs_status cgs_grade_unpack(struct cgs_grade *grade)
{
    struct stat there;
    bool made;
    struct unpacking u = {.context = grade->context, .file = grade->folder};
    if (stat(grade->folder, &there) != 0 || !S_ISREG(there.st_mode))
        return CGS_OK;
    const locale_t utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0),
                   before = uselocale(utf8);
    grade->unpacked = cgs_folder_join(grade->reports, "submissions", "");
    u.archive = archive_read_new();
    if (!grade->unpacked || !u.archive || cgs_folder_make(grade->unpacked, &made) != 0)
        cgs_fail(grade->context, CGS_MEMORY, "no memory for unpacking '%s'", u.file);
    else
        unpack_all(&u, grade->unpacked);
    archive_read_free(u.archive);
    uselocale(before);
    if (utf8)
        freelocale(utf8);
    grade->folder = grade->unpacked ? grade->unpacked : grade->folder;
    return grade->context->status;
}
