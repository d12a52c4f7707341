/* Runs the compiler contained (contain.h), in a temporary folder that has the public headers and a
 * link to the source. A second process of this program contains itself and then executes it:
 *
 *     cgsolve (compile) FOLDER SOURCE SECONDS COMPILER WORD...
 *
 * A judge in the folder of an exercise runs in the same way:
 *
 *     cgsolve (judge) FOLDER SOURCE SECONDS JUDGE WORD... */
#define _GNU_SOURCE /* memfd_create */
#include "kernels/plugin/compile.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/contention.h"
#include "kernels/plugin/contain.h"
#include "kernels/plugin/note.h"
#include "kernels/plugin/pulse.h"
#include "kernels/registry.h"

/* Headers of include/cgsolve, one string a line. */
static const char *const kernel_header[] = {
#include "kernels/plugin/kernel.inc"
};
static const char *const exercise_header[] = {
#include "kernels/plugin/exercise.inc"
};
static const struct {
    const char *name, *const *lines;
    size_t count;
} headers[] = {
    {"kernel.h", kernel_header, sizeof kernel_header / sizeof *kernel_header},
    {"exercise.h", exercise_header, sizeof exercise_header / sizeof *exercise_header},
};
enum { HEADERS = sizeof headers / sizeof *headers };

#define LIBRARY "kernel.so" /* in the folder */

enum {
    WORDS_MOST = 48,
    WORDS_FIRST = 6, /* before the compiler's own */
    TEXT = PATH_MAX,
    NOT_FOUND = 127,
    SHOWN_LINES = 6,
    SHOWN_BYTES = 1200
};

/* Returns the seconds that a compiler may take: 300, or 60 for a submission, half of what a judge
 * of exercises waits for all of its work, where the kernel's patience is as usual. */
static double patience(void)
{
    return (cgs_contain_is_alone() ? 6.0 : 30.0) * cgs_pulse_patience();
}

/* Temporary folder that the compiler works in, and its files. `name`: the source's in it. */
struct folder {
    char path[TEXT], include[TEXT + 16], library[TEXT + 16], name[NAME_MAX + 1];
};

static bool is_cuda(const char *source)
{
    const size_t length = strlen(source);
    return length > 3 && strcmp(source + length - 3, ".cu") == 0;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info, (void)kind, (void)walk;
    return remove(path);
}

/* Removes the folder. Retries, since a program of the compiler that was just killed may still
 * write. */
static void remove_folder(const struct folder *folder)
{
    for (int i = 0; i < 100 && nftw(folder->path, remove_one, 8, FTW_DEPTH | FTW_PHYS) != 0; i++)
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}

static bool write_header(const struct folder *folder, int which)
{
    char path[TEXT + 48];
    snprintf(path, sizeof path, "%s/%s", folder->include, headers[which].name);
    FILE *file = fopen(path, "we");
    if (!file)
        return false;
    for (size_t i = 0; i < headers[which].count; i++)
        fputs(headers[which].lines[i], file);
    return fclose(file) == 0;
}

static bool write_headers(const struct folder *folder)
{
    if (mkdir(folder->include, 0700) != 0)
        return false;
    for (int i = 0; i < HEADERS; i++)
        if (!write_header(folder, i))
            return false;
    return true;
}

/* Links to the source by its name, without characters that compilers and their shells
 * understand. */
static bool link_source(struct folder *folder, const char *real)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-";
    char path[TEXT + NAME_MAX + 2];
    snprintf(folder->name, sizeof folder->name, "%s", strrchr(real, '/') + 1);
    for (char *at = folder->name; *(at += strspn(at, plain));)
        *at = '_';
    if (strchr("-.+", folder->name[0])) /* an option, or hidden */
        folder->name[0] = '_';
    snprintf(path, sizeof path, "%s/%s", folder->path, folder->name);
    return symlink(real, path) == 0;
}

static enum cgs_status make_folder(struct cgs_context *context, const char *real,
                                   struct folder *folder)
{
    const char *parent = getenv("TMPDIR");
    if (!parent || !parent[0])
        parent = "/tmp";
    snprintf(folder->path, sizeof folder->path, "%.*s/cgsolve-XXXXXX", TEXT - 32, parent);
    if (!mkdtemp(folder->path))
        return cgs_fail(context, CGS_FILE, "no folder to compile a kernel in, %s: %s; set TMPDIR",
                        folder->path, strerror(errno));
    snprintf(folder->include, sizeof folder->include, "%s/cgsolve", folder->path);
    snprintf(folder->library, sizeof folder->library, "%s/" LIBRARY, folder->path);
    if (write_headers(folder) && link_source(folder, real))
        return CGS_OK;
    const int error = errno;
    remove_folder(folder);
    return cgs_fail(context, CGS_FILE, "cannot write into %s to compile a kernel: %s; set TMPDIR",
                    folder->path, strerror(error));
}

/* The compiler's command line; `compiler` is words separated by spaces. */
struct command {
    char texts[TEXT], seconds[16], beside[TEXT];
    char *words[WORDS_MOST];
    int count;
};

static void add_words(struct command *command, char *words)
{
    char *rest = NULL;
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (command->count < WORDS_MOST - 1)
            command->words[command->count++] = word;
}

const char *cgs_compile_preload(void)
{
    static const char library[] = CGS_ASAN;
    return library[0] && access(library, R_OK) == 0 ? library : "";
}

/* Adds the options of nvcc: code for this device, or for the device that nvcc prefers where there
 * is none. A contained nvcc could not ask the driver itself. */
static void add_cuda(struct command *command, int index)
{
    const struct cgs_backend *backend = cgs_backend(CGS_CUDA);
    struct cgs_survey survey = {0};
    const size_t used = strlen(command->texts);
    if (backend && backend->survey)
        backend->survey(&survey);
    const bool there = index < survey.devices && index < CGS_SURVEYED;
    const char *architecture = there ? survey.device[index].architecture : "";
    snprintf(command->texts + used, sizeof command->texts - used,
             " -O3 -std=c++17 -shared -Xcompiler -fPIC%s%s", architecture[0] ? " -arch=" : "",
             architecture);
}

static void make_command(const char *compiler, const char *source, enum cgs_build build, int index,
                         const struct folder *folder, struct command *command)
{
    static const char *const options[] = {
        [CGS_BUILD_FAST] = "-O3 -g1 -std=gnu17 -march=native -fopenmp -shared -fPIC",
        [CGS_BUILD_ADDRESS] = "-O0 -g -Wall -Wextra -fsanitize=address,undefined "
                              "-fno-sanitize-recover=undefined -std=gnu17 -fopenmp -shared -fPIC",
        [CGS_BUILD_UNDEFINED] = "-O0 -g -Wall -Wextra -fsanitize=undefined "
                                "-fno-sanitize-recover=undefined -std=gnu17 -fopenmp -shared -fPIC",
        [CGS_BUILD_BARE] = "-O0 -g -Wall -Wextra -std=gnu17 -fopenmp -shared -fPIC"};
    static char title[] = "cgsolve, compiler", word[] = CGS_COMPILE_WORD, search[] = "-I.",
                quotes[] = "-iquote", all[] = "-I", out[] = "-o", library[] = LIBRARY;
    const bool cuda = is_cuda(source);
    char *include = NULL; /* option that finds headers beside the source; NULL: not allowed */
    *command = (struct command){
        .words = {title, word, (char *)folder->path, (char *)source, command->seconds},
        .count = WORDS_FIRST - 1};
    snprintf(command->seconds, sizeof command->seconds, "%.0f", ceil(patience()) + 1.0);
    snprintf(command->texts, sizeof command->texts, "%s %s", compiler, cuda ? "" : options[build]);
    if (cuda)
        add_cuda(command, index);
    add_words(command, command->texts);
    snprintf(command->beside, sizeof command->beside, "%.*s", (int)(strrchr(source, '/') - source),
             source);
    if (!cgs_contain_is_alone())
        include = cuda ? all : quotes;
    char *const last[] = {search,          out, library, (char *)folder->name, include,
                          command->beside, NULL};
    for (int i = 0; last[i] && command->count < WORDS_MOST - 1; i++)
        command->words[command->count++] = last[i];
    command->words[command->count] = NULL;
}

/* Blocks termination signals while a compiler runs, so that neither it nor its folder is left
 * behind. */
static void hold_signals(sigset_t *before)
{
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGHUP);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, before);
}

static bool asked_to_end(void)
{
    sigset_t pending;
    return sigpending(&pending) == 0 &&
           (sigismember(&pending, SIGHUP) == 1 || sigismember(&pending, SIGINT) == 1 ||
            sigismember(&pending, SIGTERM) == 1);
}

enum { TOO_LONG = -1, STARVED = -2, ASKED_TO_END = -3 };

/* Runs the command for `most` seconds. Returns its waitpid status, or one of those above. */
static int run(const struct command *command, FILE *printed, FILE *said, double most)
{
    const int descriptors[] = {-1, fileno(printed), fileno(said)};
    const double begin = cgs_now();
    pid_t pid;
    if (ftruncate(fileno(said), 0) != 0 ||
        cgs_child_start(CGS_CHILD_SELF, command->words, descriptors, 3, &pid) != 0)
        return NOT_FOUND << 8;
    while (!cgs_child_gone(pid, 0.05)) {
        const double passed = cgs_now() - begin;
        const bool asked = asked_to_end();
        if (asked || passed > most) {
            const bool starved = cgs_contention_starved(pid, passed);
            cgs_child_end(pid, true);
            return asked ? ASKED_TO_END : starved ? STARVED : TOO_LONG;
        }
    }
    return cgs_child_end(pid, false);
}

/* Copies the first lines of the compiler's output. */
static void first_lines(FILE *said, char text[SHOWN_BYTES])
{
    rewind(said);
    const size_t used = fread(text, 1, SHOWN_BYTES - 1, said);
    char *end = text;
    text[used] = '\0';
    for (int line = 0; line < SHOWN_LINES && *end; line++)
        end += strcspn(end + 1, "\n") + 1;
    while (end > text && end[-1] == '\n')
        end--;
    *end = '\0';
}

/* Writes why the command did not end by itself: it took too long. */
static void explain_end(int status, double most, char *text, size_t size)
{
    snprintf(text, size, "took longer than %.3g s, and was ended%s", most,
             status == STARVED ? ": " CGS_PULSE_BUSY : "");
}

static enum cgs_status explain(struct cgs_context *context, const char *compiler,
                               const char *source, FILE *said, int status)
{
    char text[SHOWN_BYTES];
    if (status == ASKED_TO_END)
        return cgs_fail(context, CGS_INTERRUPTED, "interrupted while kernel '%s' was compiled",
                        source);
    if (status < 0) {
        explain_end(status, patience(), text, sizeof text);
        return cgs_fail(context, CGS_FILE, "kernel '%s': %s %s", source, compiler, text);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        return cgs_fail(
            context, CGS_FILE,
            "kernel '%s': its compiler, %s, is not found: install it, put it on PATH, or "
            "compile the kernel elsewhere and take \1kernel=FILE.so",
            source, compiler);
    first_lines(said, text);
    cgs_fail(context, CGS_FILE, "kernel '%s' does not compile:", source);
    for (char *line = text, *next; (next = strsep(&line, "\n")) != NULL;)
        cgs_fail_add(context, "\n    %s", next);
    return CGS_FILE;
}

/* Copies the library into memory, so that no file is needed any more. Kernels get its descriptor,
 * and cannot change it for the processes that load it later. */
static int take_library(const struct folder *folder)
{
    struct stat info;
    const int from = open(folder->library, O_RDONLY | O_CLOEXEC);
    const int to = memfd_create("kernel.so", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    bool whole = from >= 0 && to >= 0 && fstat(from, &info) == 0;
    for (off_t left = whole ? info.st_size : 0; whole && left > 0;) {
        const ssize_t sent = sendfile(to, from, NULL, (size_t)left);
        whole = sent > 0;
        left -= sent;
    }
    if (from >= 0)
        close(from);
    if (whole &&
        fcntl(to, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0)
        return to;
    if (to >= 0)
        close(to);
    return -1;
}

enum cgs_status cgs_compile(struct cgs_context *context, const char *source, enum cgs_build build,
                            int index, char *said, size_t size, int *library)
{
    const bool cuda = is_cuda(source);
    char real[PATH_MAX];
    const char *const compilers[] = {cuda ? CGS_NVCC : CGS_CC, cuda ? "nvcc" : "cc"};
    const char *compiler = NULL;
    struct folder folder;
    struct command command;
    int status = NOT_FOUND << 8;
    sigset_t before;
    if (!realpath(source, real))
        return cgs_fail(context, CGS_FILE, "kernel '%s' can't be read: %s", source,
                        strerror(errno));
    FILE *output = cgs_child_output();
    if (!output)
        return cgs_fail(context, CGS_MEMORY, "no memory for what a compiler says: %s",
                        strerror(errno));
    hold_signals(&before);
    if (make_folder(context, real, &folder) != CGS_OK) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        fclose(output);
        return context->status;
    }
    for (int i = 0; i < 2 && status >= 0 && WEXITSTATUS(status) == NOT_FOUND; i++) {
        if (!compilers[i][0])
            continue;
        compiler = compilers[i];
        make_command(compiler, real, build, index, &folder, &command);
        status = run(&command, output, output, patience());
    }
    const int made = status == 0 ? take_library(&folder) : -1;
    enum cgs_status result = CGS_OK;
    if (status != 0)
        result = explain(context, compiler, source, output, status);
    else if (made < 0)
        result = cgs_fail(context, CGS_MEMORY, "kernel '%s': no room for the library", source);
    else
        *library = made;
    if (result == CGS_OK && said) {
        char text[SHOWN_BYTES];
        first_lines(output, text);
        snprintf(said, size, "%s", text);
    }
    fclose(output);
    remove_folder(&folder);
    pthread_sigmask(SIG_SETMASK, &before, NULL); /* pending signals take effect here */
    return result;
}

enum cgs_status cgs_compile_judge(struct cgs_context *context, const char *source,
                                  char *const *words, double seconds, FILE *printed, FILE *said,
                                  int *status)
{
    static char title[] = "cgsolve, judge", word[] = CGS_JUDGE_WORD;
    char real[PATH_MAX];
    struct folder folder;
    sigset_t before;
    if (!realpath(source, real))
        return cgs_fail(context, CGS_FILE, "'%s' can't be read: %s", source, strerror(errno));
    hold_signals(&before);
    if (make_folder(context, real, &folder) == CGS_OK) {
        struct command command = {.words = {title, word, folder.path, real, command.seconds},
                                  .count = WORDS_FIRST - 1};
        snprintf(command.seconds, sizeof command.seconds, "%.0f", ceil(seconds) + 1.0);
        for (; *words && command.count < WORDS_MOST - 2; words++)
            command.words[command.count++] = *words;
        command.words[command.count] = folder.name;
        *status = run(&command, printed, said, seconds);
        remove_folder(&folder);
        if (*status == ASKED_TO_END)
            cgs_fail(context, CGS_INTERRUPTED, "interrupted while '%s' was judged", source);
        else if (*status < 0) {
            char text[96];
            explain_end(*status, seconds, text, sizeof text);
            cgs_fail(context, CGS_NOT_CONVERGED, "it %s", text);
        }
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL); /* pending signals take effect here */
    return context->status;
}

/* ---- the process that becomes the compiler ---- */

/* Writes the path of a program, as execvp finds it; false: there is none. */
static bool find_program(const char *name, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");
    snprintf(path, PATH_MAX, "%s", name);
    if (strchr(name, '/'))
        return access(path, X_OK) == 0;
    for (const char *at = folders ? folders : "/usr/bin:/bin"; *at; at += *at == ':') {
        const int length = (int)strcspn(at, ":");
        snprintf(path, PATH_MAX, "%.*s/%s", length, at, name);
        if (at[0] == '/' && access(path, X_OK) == 0)
            return true;
        at += length;
    }
    return false;
}

/* Clears variables that name files which may not be read or written, and turns ccache off. */
static void clear_environment(void)
{
    static const char *const names[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
                                        "DEPENDENCIES_OUTPUT", "SUNPRO_DEPENDENCIES"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unsetenv(names[i]);
    setenv("TMPDIR", ".", 1);
    setenv("CCACHE_DISABLE", "1", 1);
}

int cgs_compile_main(char **words)
{
    char missing[64], compiler[PATH_MAX];
    const struct cgs_containment containment = {.folder = ".",
                                                .source = words[3],
                                                .seconds = atoi(words[4]),
                                                .compiler = compiler,
                                                .judge = strcmp(words[1], CGS_JUDGE_WORD) == 0,
                                                .alone = cgs_contain_is_alone()};
    if (chdir(words[2]) != 0)
        return 1;
    if (!find_program(words[WORDS_FIRST - 1], compiler))
        return NOT_FOUND;
    clear_environment();
    cgs_contain(&containment, missing, sizeof missing);
    execv(compiler, words + WORDS_FIRST - 1);
    fprintf(stderr, "%s: %s\n", compiler, strerror(errno));
    return 1;
}
