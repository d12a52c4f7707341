/* The folder of a study:
 *
 *     DIR/points/.cgsolve-study           says that this is a study, made with the folder
 *     DIR/points/N31-gauss-crs.json ...   a report of each point, by the point itself
 *     DIR/study.json                      the study's own
 *     DIR/report.html, DIR/.svg ...       page and figures
 *
 * A study holds a lock on DIR before it looks at anything in it, makes anything, or removes anything: of
 * two that start at once, one goes on and the other says so.
 *
 * Without --report one below $TMPDIR, which is removed. Between its making and its removal signals
 * are only noted, so that it does go; one that a killed study left is removed by the next. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/io/interrupt.h"
#include "src/study/study.h"
#include "src/study/study_drawings.h"

static const char marker[] = ".cgsolve-study", report_ending[] = ".json", begun[] = ".tmp";
static const char temporary_name[] = "cgsolve-study", unique[] = "XXXXXX";

static char *join(const char *folder, const char *name, const char *ending)
{
    const size_t size = strlen(folder) + strlen(name) + strlen(ending) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s%s", folder, name, ending);
    return path;
}

/* Makes the folder, and those above it where they are missing. *made: it was not there. Returns an errno. */
static int make_folders(char *path, bool *made)
{
    struct stat there;
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        const int error = mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : errno;
        *slash = '/';
        if (error != 0)
            return error;
    }
    if (mkdir(path, 0777) == 0) {
        *made = true;
        return 0;
    }
    if (errno == EEXIST && stat(path, &there) == 0)
        return S_ISDIR(there.st_mode) ? 0 : ENOTDIR;
    return errno;
}

static bool hidden(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Counts the files in the folder whose names contain `part`; 0 if there is no folder, a negative
 * errno where it cannot be read. `remove`: they go. */
static int entries(const char *path, const char *part, bool remove)
{
    DIR *folder = opendir(path);
    int count = 0;
    if (!folder)
        return errno == ENOENT || errno == ENOTDIR ? 0 : -errno;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (hidden(entry->d_name) || !strstr(entry->d_name, part))
            continue;
        count++;
        if (remove)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    closedir(folder);
    return count;
}

/* Returns true if `name` is `file` as it is called while it is written: "file.tmpXXXXXX". */
static bool is_begun(const char *name, const char *file, const char *ending)
{
    const size_t length = strlen(file), end = strlen(ending);
    return strncmp(name, file, length) == 0 && strncmp(name + length, ending, end) == 0 &&
           strncmp(name + length + end, begun, sizeof begun - 1) == 0 &&
           strlen(name + length + end) == sizeof begun - 1 + sizeof unique - 1;
}

static bool is_begun_point(const struct cgs_study *study, const char *name)
{
    for (int i = 0; i < study->count; i++)
        if (is_begun(name, study->points[i].name, report_ending))
            return true;
    return false;
}

static bool is_begun_page(const struct cgs_study *study, const char *name)
{
    (void)study;
    for (int i = 0; i < CGS_DRAWINGS; i++)
        if (is_begun(name, cgs_drawings[i].file, ".svg") ||
            is_begun(name, cgs_drawings[i].file, ".svg.gp"))
            return true;
    return is_begun(name, "study.json", "") || is_begun(name, "report.html", "");
}

/* Removes what a killed study had begun to write, on file systems where that has a name. */
static void remove_begun(const struct cgs_study *study, const char *path,
                         bool (*is_ours)(const struct cgs_study *, const char *))
{
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
        if (is_ours(study, entry->d_name))
            unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
}

/* A link of that name is none: who else may write there does not say what a study is. */
static bool has_marker(const char *points)
{
    struct stat about;
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s", points, marker) < (int)sizeof path &&
           lstat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* Returns an errno. */
static int make_marker(const char *points)
{
    char *path = join(points, marker, "");
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    const int file = path ? open(path, flags, 0666) : -1;
    const int error = !path ? ENOMEM : file < 0 ? errno : 0;
    if (file >= 0)
        close(file);
    free(path);
    return error;
}

static enum cgs_status refuse(const struct cgs_study *study, int error)
{
    if (error == ENOMEM)
        return cgs_fail(study->context, CGS_MEMORY, "no memory for the folder '%s' of the study",
                        study->folder);
    return cgs_fail(study->context, CGS_FILE,
                    "cannot make or read the folder '%s' of the study: %s; name another one%s",
                    study->folder, strerror(error), study->temporary ? " by $TMPDIR" : "");
}

/* A study's folder, or one to become that. */
static enum cgs_status check_folder(const struct cgs_study *study, const char *points)
{
    const char *folder = study->folder;
    if (study->options->draw) /* copied from elsewhere, perhaps without the marker */
        return CGS_OK;
    const int files = has_marker(points) ? 0 : entries(folder, "", false);
    const int reports = study->options->resume ? 0 : entries(points, report_ending, false);
    if (files < 0 || reports < 0)
        return refuse(study, files < 0 ? -files : -reports);
    if (files > 0)
        return cgs_fail(study->context, CGS_USAGE,
                        "--report=%s: that folder holds something else than a study: name a new "
                        "one, or one that is empty",
                        folder);
    if (reports > 0)
        return cgs_fail(study->context, CGS_USAGE,
                        "--report=%s holds a study already: --resume goes on with it; or name "
                        "another folder",
                        folder);
    return CGS_OK;
}

/* Opens and locks the folder. Returns 0, EWOULDBLOCK where another study holds it, ESTALE where that has
 * removed it meanwhile, or an errno. follow: O_NOFOLLOW where a link is none, or 0. A file system without
 * locks is taken as it is. */
static int lock(const char *folder, int follow, int *lock)
{
    struct stat opened, there;
    int error = 0;
    const int descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC | follow);
    if (descriptor < 0)
        return errno == ENOENT ? ESTALE : errno;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        error = EWOULDBLOCK;
    else if (fstat(descriptor, &opened) != 0 || stat(folder, &there) != 0 ||
             opened.st_ino != there.st_ino || opened.st_dev != there.st_dev)
        error = ESTALE;
    if (error != 0)
        close(descriptor);
    else
        *lock = descriptor;
    return error;
}

/* The folder of --report, locked; made where it is not there. */
static enum cgs_status hold_folder(struct cgs_study *study)
{
    enum { TRIES = 100 };
    int error = ESTALE;
    for (int i = 0; i < TRIES && error == ESTALE; i++) {
        study->made = false;
        error = study->options->draw ? 0 : make_folders(study->folder, &study->made);
        if (error == 0)
            error = lock(study->folder, 0, &study->lock);
        if (error != 0)
            study->made = false; /* whoever holds it now removes it */
    }
    if (error == EWOULDBLOCK)
        return cgs_fail(study->context, CGS_FILE,
                        "another study is running in '%s': let it end, or name another folder",
                        study->folder);
    if (study->options->draw && error != 0)
        return CGS_OK; /* check_folder says what is missing */
    return error == 0 ? CGS_OK : refuse(study, error);
}

static enum cgs_status open_report(struct cgs_study *study)
{
    const bool draw = study->options->draw;
    char *points = join(study->folder, "points", "");
    if (!points)
        return cgs_fail(study->context, CGS_MEMORY, "no memory for the names of the study's files");
    enum cgs_status status = hold_folder(study);
    if (status == CGS_OK)
        status = check_folder(study, points);
    const int reports = status == CGS_OK && draw ? entries(points, report_ending, false) : 1;
    if (reports < 0)
        status = refuse(study, -reports);
    else if (reports == 0)
        status = cgs_fail(study->context, CGS_USAGE,
                          "--report=%s holds no reports to draw: there is no %s/*%s", study->folder,
                          points, report_ending);
    if (status == CGS_OK && !draw && !has_marker(points)) {
        int error = mkdir(points, 0777) == 0 || errno == EEXIST ? 0 : errno;
        if (error == 0)
            error = make_marker(points);
        study->marked = error == 0;
        if (error != 0)
            status = refuse(study, error);
    }
    if (status == CGS_OK && !draw) {
        remove_begun(study, points, is_begun_point);
        remove_begun(study, study->folder, is_begun_page);
    }
    free(points);
    return status;
}

/* Removes what was made for nothing: by a study whose outputs were refused. */
static void unmake(const struct cgs_study *study, const char *points)
{
    char *path = join(points, marker, "");
    if (path && study->marked && entries(points, "", false) == 1 &&
        entries(study->folder, "", false) == 1) {
        unlink(path);
        rmdir(points);
    }
    if (study->made)
        rmdir(study->folder); /* where it is empty */
    free(path);
}

static void remove_temporary(const char *folder)
{
    char *points = join(folder, "points", "");
    if (points) {
        entries(points, "", true);
        rmdir(points);
    }
    rmdir(folder);
    free(points);
}

/* Removes folders that studies of this user left when they were killed: nobody holds their locks. */
static void remove_abandoned(const char *above)
{
    DIR *folder = opendir(above);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        struct stat about;
        int held = -1;
        const size_t length = sizeof temporary_name - 1;
        if (strncmp(entry->d_name, temporary_name, length) != 0 ||
            strlen(entry->d_name) != length + sizeof unique - 1 ||
            fstatat(dirfd(folder), entry->d_name, &about, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISDIR(about.st_mode) || about.st_uid != geteuid())
            continue;
        char *path = join(above, entry->d_name, "");
        if (path && lock(path, O_NOFOLLOW, &held) == 0) {
            remove_temporary(path);
            close(held);
        }
        free(path);
    }
    if (folder)
        closedir(folder);
}

/* A folder of its own, locked. Another study may take it for abandoned before it is: then another one.
 * Returns an errno. */
static int make_temporary(struct cgs_study *study)
{
    enum { TRIES = 100 };
    char *name = study->folder + strlen(study->folder) - (sizeof unique - 1);
    int error = ESTALE;
    for (int i = 0; i < TRIES && (error == ESTALE || error == EWOULDBLOCK); i++) {
        memcpy(name, unique, sizeof unique);
        if (!mkdtemp(study->folder))
            return errno;
        error = lock(study->folder, O_NOFOLLOW, &study->lock);
    }
    if (error != 0)
        rmdir(study->folder);
    return error;
}

static enum cgs_status open_temporary(struct cgs_study *study)
{
    const char *named = getenv("TMPDIR"), *above = named && *named ? named : "/tmp";
    study->folder = join(above, temporary_name, unique);
    if (!study->folder)
        return cgs_fail(study->context, CGS_MEMORY, "no memory for the names of the study's files");
    cgs_interrupt_hold();
    remove_abandoned(above);
    study->temporary = true;
    int error = make_temporary(study);
    if (error != 0) {
        const enum cgs_status status = refuse(study, error);
        study->temporary = false;
        cgs_interrupt_let();
        return status;
    }
    char *points = join(study->folder, "points", "");
    error = !points ? ENOMEM : mkdir(points, 0777) == 0 ? 0 : errno;
    free(points);
    return error == 0 ? CGS_OK : refuse(study, error);
}

enum cgs_status cgs_study_open(struct cgs_study *study)
{
    const char *report = study->options->report;
    study->lock = -1;
    if (report) {
        study->folder = strdup(report);
        if (!study->folder)
            return cgs_fail(study->context, CGS_MEMORY, "no memory for the name of the folder");
        for (size_t end = strlen(report); end > 1 && report[end - 1] == '/'; end--)
            study->folder[end - 1] = '\0';
    }
    CGS_TRY(report ? open_report(study) : open_temporary(study));
    for (int i = 0; i < study->count; i++) {
        char *points = join("points", study->points[i].name, ".json");
        study->points[i].file = points ? join(study->folder, points, "") : NULL;
        free(points);
        if (!study->points[i].file)
            return cgs_fail(study->context, CGS_MEMORY,
                            "no memory for the names of the study's files");
    }
    return CGS_OK;
}

void cgs_study_close(struct cgs_study *study)
{
    char *points = study->folder ? join(study->folder, "points", "") : NULL;
    if (points)
        unmake(study, points);
    if (study->temporary) {
        remove_temporary(study->folder);
        cgs_interrupt_let();
    }
    free(points);
    if (study->lock >= 0)
        close(study->lock);
    free(study->folder);
    study->folder = NULL;
    study->temporary = study->made = study->marked = false;
    study->lock = -1;
}
