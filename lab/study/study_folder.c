/* The folder of a study:
 *
 *     DIR/points/.cgsolve-study           says that this is a study, made with the folder
 *     DIR/points/N31-gauss-crs.json ...   a report of each point, by the point itself
 *     DIR/study.json                      the study's own
 *     DIR/report.html, DIR/.svg ...       page and figures
 *     DIR/tables.tex                      its tables for LaTeX
 *
 * A study holds a lock on DIR before it looks at anything in it, makes anything, or removes
 * anything: of two that start at once, one goes on and the other says so.
 *
 * Without --report one below $TMPDIR, which is removed. Between its making and its removal signals
 * are only noted, so that it does go; one that a killed study left is removed by the next. */
#include "lab/study/study_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/io/interrupt.h"
#include "lab/figure/plot_draw.h"
#include "lab/io/folder.h"
#include "lab/study/study_drawings.h"

static const char marker[] = ".cgsolve-study", report_ending[] = ".json";
static const char temporary_name[] = "cgsolve-study", unique[] = "XXXXXX";

static bool is_begun_point(const void *user, const char *name)
{
    const struct cgs_study *study = user;
    for (int i = 0; i < study->count; i++)
        if (cgs_folder_begun(name, study->points[i].name, report_ending))
            return true;
    return false;
}

static bool is_begun_page(const void *user, const char *name)
{
    (void)user;
    for (int i = 0; i < CGS_DRAWINGS; i++)
        if (cgs_plot_begun(name, cgs_drawings[i].file))
            return true;
    return cgs_folder_begun(name, "study.json", "") || cgs_folder_begun(name, "report.html", "") ||
           cgs_folder_begun(name, "tables.tex", "");
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
    const int files = cgs_folder_marked(points, marker) ? 0 : cgs_folder_count(folder, "", false);
    const int reports = study->options->resume ? 0 : cgs_folder_count(points, report_ending, false);
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

/* The folder of --report, locked; made where it is not there. */
static enum cgs_status hold_folder(struct cgs_study *study)
{
    const int error =
        cgs_folder_hold(study->folder, !study->options->draw, &study->made, &study->lock);
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
    char *points = cgs_folder_join(study->folder, "points", "");
    if (!points)
        return cgs_fail(study->context, CGS_MEMORY, "no memory for the names of the study's files");
    enum cgs_status status = hold_folder(study);
    if (status == CGS_OK)
        status = check_folder(study, points);
    const int reports =
        status == CGS_OK && draw ? cgs_folder_count(points, report_ending, false) : 1;
    if (reports < 0)
        status = refuse(study, -reports);
    else if (reports == 0)
        status = cgs_fail(study->context, CGS_USAGE,
                          "--report=%s holds no reports to draw: there is no %s/*%s", study->folder,
                          points, report_ending);
    if (status == CGS_OK && !draw && !cgs_folder_marked(points, marker)) {
        int error = mkdir(points, 0777) == 0 || errno == EEXIST ? 0 : errno;
        if (error == 0)
            error = cgs_folder_mark(points, marker);
        study->marked = error == 0;
        if (error != 0)
            status = refuse(study, error);
    }
    if (status == CGS_OK && !draw) {
        cgs_folder_remove(points, is_begun_point, study);
        cgs_folder_remove(study->folder, is_begun_page, study);
    }
    free(points);
    return status;
}

/* Removes what was made for nothing: by a study whose outputs were refused. */
static void unmake(const struct cgs_study *study, const char *points)
{
    char *path = cgs_folder_join(points, marker, "");
    if (path && study->marked && cgs_folder_count(points, "", false) == 1 &&
        cgs_folder_count(study->folder, "", false) == 1) {
        unlink(path);
        rmdir(points);
    }
    if (study->made)
        rmdir(study->folder); /* where it is empty */
    free(path);
}

static void remove_temporary(const char *folder)
{
    char *points = cgs_folder_join(folder, "points", "");
    if (points) {
        cgs_folder_count(points, "", true);
        rmdir(points);
    }
    rmdir(folder);
    free(points);
}

/* Removes folders that studies of this user left when they were killed: nobody holds their
 * locks. */
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
        char *path = cgs_folder_join(above, entry->d_name, "");
        if (path && cgs_folder_lock(path, O_NOFOLLOW, &held) == 0) {
            remove_temporary(path);
            close(held);
        }
        free(path);
    }
    if (folder)
        closedir(folder);
}

/* A folder of its own, locked. Another study may take it for abandoned before it is: then
 * another one. Returns an errno. */
static int make_temporary(struct cgs_study *study)
{
    enum { TRIES = 100 };
    char *name = study->folder + strlen(study->folder) - (sizeof unique - 1);
    int error = ESTALE;
    for (int i = 0; i < TRIES && (error == ESTALE || error == EWOULDBLOCK); i++) {
        memcpy(name, unique, sizeof unique);
        if (!mkdtemp(study->folder))
            return errno;
        error = cgs_folder_lock(study->folder, O_NOFOLLOW, &study->lock);
    }
    if (error != 0)
        rmdir(study->folder);
    return error;
}

static enum cgs_status open_temporary(struct cgs_study *study)
{
    const char *named = getenv("TMPDIR"), *above = named && *named ? named : "/tmp";
    study->folder = cgs_folder_join(above, temporary_name, unique);
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
    char *points = cgs_folder_join(study->folder, "points", "");
    error = !points ? ENOMEM : mkdir(points, 0777) == 0 ? 0 : errno;
    free(points);
    return error == 0 ? CGS_OK : refuse(study, error);
}

enum cgs_status cgs_study_place(const struct cgs_study *study, struct cgs_point *point)
{
    char *name = cgs_folder_join("points", point->name, report_ending);
    point->file = name ? cgs_folder_join(study->folder, name, "") : NULL;
    free(name);
    if (!point->file)
        return cgs_fail(study->context, CGS_MEMORY, "no memory for the names of the study's files");
    return CGS_OK;
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
    for (int i = 0; i < study->count; i++)
        CGS_TRY(cgs_study_place(study, &study->points[i]));
    return CGS_OK;
}

void cgs_study_close(struct cgs_study *study)
{
    char *points = study->folder ? cgs_folder_join(study->folder, "points", "") : NULL;
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
