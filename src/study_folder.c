/* The folder of a study:
 *
 *     DIR/points/.cgsolve-study           says that this is a study, made with the folder
 *     DIR/points/N31-gauss-crs.json ...   a report of each point, by the point itself
 *     DIR/study.json                      the study's own
 *     DIR/report.html, DIR/.svg ...       page and figures
 *
 * Without --report one below $TMPDIR, which is removed. Between its making and its removal signals
 * are only noted, so that it does go. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/interrupt.h"
#include "src/study.h"

static const char marker[] = ".cgsolve-study", report_ending[] = ".json", begun[] = ".json.tmp";

static char *join(const char *folder, const char *name, const char *ending)
{
    const size_t size = strlen(folder) + strlen(name) + strlen(ending) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s%s", folder, name, ending);
    return path;
}

/* Makes the folder and those above it; there is fine, too. Returns an errno. */
static int make_folders(char *path)
{
    struct stat there;
    for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        const int error = mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : errno;
        *slash = '/';
        if (error != 0)
            return error;
    }
    if (mkdir(path, 0777) == 0)
        return 0;
    if (errno == EEXIST && stat(path, &there) == 0)
        return S_ISDIR(there.st_mode) ? 0 : ENOTDIR;
    return errno;
}

static bool hidden(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* How many files are in the folder whose names contain `part`; 0 where there is no folder. `remove`:
 * they go. */
static int entries(const char *path, const char *part, bool remove)
{
    DIR *folder = opendir(path);
    int count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        if (hidden(entry->d_name) || !strstr(entry->d_name, part))
            continue;
        count++;
        if (remove)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder)
        closedir(folder);
    return count;
}

/* What points that were killed had begun to write. */
static void remove_begun(const struct cgs_study *study, const char *points)
{
    DIR *folder = opendir(points);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        const char *ending = strstr(entry->d_name, begun);
        const size_t length = ending ? (size_t)(ending - entry->d_name) : 0;
        bool ours = false;
        for (int i = 0; i < study->count && ending && !ours; i++)
            ours = strlen(study->points[i].name) == length &&
                   strncmp(study->points[i].name, entry->d_name, length) == 0;
        if (ours)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder)
        closedir(folder);
}

static bool has_marker(const char *points)
{
    char *path = join(points, marker, "");
    const bool there = path && access(path, F_OK) == 0;
    free(path);
    return there;
}

/* Returns an errno. */
static int make_marker(const char *points)
{
    char *path = join(points, marker, "");
    const int file = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    const int error = !path ? ENOMEM : file < 0 ? errno : 0;
    if (file >= 0)
        close(file);
    free(path);
    return error;
}

static enum cgs_status refuse(const struct cgs_study *study, int error)
{
    return cgs_fail(study->context, CGS_FILE,
                    "cannot make the folder '%s' of the study: %s; name another one%s",
                    study->folder, strerror(error), study->temporary ? " by $TMPDIR" : "");
}

/* A study's folder, or one to become that. */
static enum cgs_status check_folder(const struct cgs_study *study, const char *points)
{
    const char *folder = study->folder;
    if (study->options->draw) /* copied from elsewhere, perhaps without the marker */
        return CGS_OK;
    if (!has_marker(points) && entries(folder, "", false) > 0)
        return cgs_fail(study->context, CGS_USAGE,
                        "--report=%s: that folder holds something else than a study: name a new "
                        "one, or one that is empty",
                        folder);
    if (!study->options->resume && entries(points, report_ending, false) > 0)
        return cgs_fail(study->context, CGS_USAGE,
                        "--report=%s holds a study already: --resume goes on with it; or name "
                        "another folder",
                        folder);
    return CGS_OK;
}

/* Nobody else studies in it. */
static enum cgs_status lock(struct cgs_study *study, const char *points)
{
    study->lock = open(points, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (study->lock < 0 || flock(study->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return CGS_OK;
    return cgs_fail(study->context, CGS_FILE,
                    "another study is running in '%s': let it end, or name another folder",
                    study->folder);
}

static enum cgs_status open_report(struct cgs_study *study)
{
    struct stat about;
    const bool there = stat(study->folder, &about) == 0;
    char *points = join(study->folder, "points", "");
    if (!points)
        return cgs_fail(study->context, CGS_MEMORY, "no memory for the names of the study's files");
    enum cgs_status status = there && S_ISDIR(about.st_mode) ? check_folder(study, points) : CGS_OK;
    if (study->options->draw && entries(points, report_ending, false) == 0)
        status = cgs_fail(study->context, CGS_USAGE,
                          "--report=%s holds no reports to draw: there is no %s/*%s", study->folder,
                          points, report_ending);
    if (status == CGS_OK && !study->options->draw && !has_marker(points)) {
        int error = there && !S_ISDIR(about.st_mode) ? ENOTDIR : make_folders(points);
        if (error == 0)
            error = make_marker(points);
        study->made = error == 0;
        if (error != 0)
            status = refuse(study, error);
    }
    if (status == CGS_OK)
        status = lock(study, points);
    if (status == CGS_OK && !study->options->draw)
        remove_begun(study, points);
    free(points);
    return status;
}

/* A folder that was made for nothing: of a study whose outputs were refused. */
static void unmake(const struct cgs_study *study, const char *points)
{
    char *path = join(points, marker, "");
    if (path && entries(points, "", false) == 1 && entries(study->folder, "", false) == 1) {
        unlink(path);
        rmdir(points);
        rmdir(study->folder);
    }
    free(path);
}

static enum cgs_status open_temporary(struct cgs_study *study)
{
    const char *above = getenv("TMPDIR");
    study->folder = join(above && *above ? above : "/tmp", "cgsolve-studyXXXXXX", "");
    if (!study->folder)
        return cgs_fail(study->context, CGS_MEMORY, "no memory for the names of the study's files");
    cgs_interrupt_hold();
    study->temporary = true;
    if (!mkdtemp(study->folder)) {
        const enum cgs_status status = refuse(study, errno);
        study->temporary = false;
        cgs_interrupt_let();
        return status;
    }
    char *points = join(study->folder, "points", "");
    const int error = !points ? ENOMEM : mkdir(points, 0777) == 0 ? 0 : errno;
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
    if (points && study->made)
        unmake(study, points);
    if (study->temporary) {
        if (points) {
            entries(points, "", true);
            rmdir(points);
        }
        rmdir(study->folder);
        cgs_interrupt_let();
    }
    free(points);
    if (study->lock >= 0)
        close(study->lock);
    free(study->folder);
    study->folder = NULL;
    study->temporary = study->made = false;
    study->lock = -1;
}
