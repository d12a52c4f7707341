/* Filter of system calls, made by libseccomp. That is loaded at run time, so the program also runs
 * without it, and without the filter.
 *
 * The filter refuses the calls named here and allows all others, since the calls that OpenMP, the C
 * library and the CUDA driver make change from version to version. Landlock guards the files. */
#define _GNU_SOURCE /* CLONE_THREAD */
#include "kernels/plugin/seccomp.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "kernels/plugin/seccomp_names.h"

struct library {
    __typeof__(&seccomp_init) init;
    __typeof__(&seccomp_attr_set) set;
    __typeof__(&seccomp_syscall_resolve_name) resolve;
    __typeof__(&seccomp_rule_add_array) add;
    __typeof__(&seccomp_load) load;
    __typeof__(&seccomp_release) release;
};

/* On this system a data pointer is also a function pointer (POSIX dlsym). */
static bool find(void *library, const char *name, void *function)
{
    void *found = dlsym(library, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static bool open_library(struct library *l)
{
    void *loaded = dlopen(CGS_SECCOMP_NAMES, RTLD_NOW | RTLD_LOCAL);
    return loaded && find(loaded, "seccomp_init", &l->init) &&
           find(loaded, "seccomp_attr_set", &l->set) &&
           find(loaded, "seccomp_syscall_resolve_name", &l->resolve) &&
           find(loaded, CGS_SECCOMP_SYMBOL, &l->add) && find(loaded, "seccomp_load", &l->load) &&
           find(loaded, "seccomp_release", &l->release);
}

struct call {
    const char *name;
    int number; /* for older versions of libseccomp; the same on all architectures */
};

/* New programs and processes, which a compiler alone may start. */
static const struct call refused_to_kernels[] = {
    {"fork", 0}, {"vfork", 0}, {"execve", 0}, {"execveat", 0}, {"tkill", 0}};

/* Other processes and their memory; ways around this filter (io_uring makes calls of its own); the
 * system itself. */
static const struct call refused[] = {
    {"ptrace", 0},
    {"process_vm_readv", 0},
    {"process_vm_writev", 0},
    {"process_madvise", 0},
    {"kcmp", 0},
    {"pidfd_open", 0},
    {"pidfd_getfd", 0},
    {"pidfd_send_signal", 0},
    {"io_uring_setup", 0},
    {"io_uring_enter", 0},
    {"io_uring_register", 0},
    {"bpf", 0},
    {"perf_event_open", 0},
    {"userfaultfd", 0},
    {"add_key", 0},
    {"request_key", 0},
    {"keyctl", 0},
    {"mount", 0},
    {"umount2", 0},
    {"move_mount", 0},
    {"open_tree", 0},
    {"fsopen", 0},
    {"fsmount", 0},
    {"fspick", 0},
    {"mount_setattr", 0},
    {"pivot_root", 0},
    {"chroot", 0},
    {"setns", 0},
    {"unshare", 0},
    {"open_by_handle_at", 0},
    {"swapon", 0},
    {"swapoff", 0},
    {"reboot", 0},
    {"kexec_load", 0},
    {"init_module", 0},
    {"finit_module", 0},
    {"delete_module", 0},
    {"settimeofday", 0},
    {"clock_settime", 0},
    {"adjtimex", 0},
    {"clock_adjtime", 0},
    {"sethostname", 0},
    {"setdomainname", 0},
};

/* Sockets, by which CUDA's driver talks to its servers and shares memory. */
static const struct call sockets[] = {{"socket", 0}, {"connect", 0}, {"bind", 0},
                                      {"listen", 0}, {"accept", 0},  {"accept4", 0}};

/* Limits; what Landlock does not know of files: their permissions, owners, times and attributes. */
static const struct call refused_without_cuda[] = {
    {"setrlimit", 0},       {"chmod", 0},        {"fchmod", 0},       {"fchmodat", 0},
    {"fchmodat2", 452},     {"chown", 0},        {"fchown", 0},       {"lchown", 0},
    {"fchownat", 0},        {"utime", 0},        {"utimes", 0},       {"futimesat", 0},
    {"utimensat", 0},       {"setxattr", 0},     {"lsetxattr", 0},    {"fsetxattr", 0},
    {"removexattr", 0},     {"lremovexattr", 0}, {"fremovexattr", 0}, {"setxattrat", 463},
    {"removexattrat", 466},
};

/* What Landlock would refuse. */
static const struct call refused_without_landlock[] = {
    {"creat", 0},  {"openat2", 0},  {"truncate", 0},  {"unlink", 0},  {"unlinkat", 0},
    {"rename", 0}, {"renameat", 0}, {"renameat2", 0}, {"mkdir", 0},   {"mkdirat", 0},
    {"rmdir", 0},  {"link", 0},     {"linkat", 0},    {"symlink", 0}, {"symlinkat", 0},
    {"mknod", 0},  {"mknodat", 0},
};

/* A filter being made. */
struct filter {
    const struct library *library;
    scmp_filter_ctx rules;
    bool failed;
};

/* Refuses a call with an errno if its argument is as given (NULL: always). A name without a number,
 * in libseccomp and in the table above, is a call that this system does not have. */
static void refuse(struct filter *filter, const struct call *call, int error,
                   const struct scmp_arg_cmp *argument)
{
    int number = filter->library->resolve(call->name);
    if (number == __NR_SCMP_ERROR)
        number = call->number;
    if (number == 0)
        return;
    if (filter->library->add(filter->rules, SCMP_ACT_ERRNO((uint32_t)error), number,
                             argument ? 1 : 0, argument) != 0)
        filter->failed = true;
}

static void refuse_all(struct filter *filter, const struct call *calls, size_t count)
{
    for (size_t i = 0; i < count; i++)
        refuse(filter, &calls[i], EPERM, NULL);
}

static void refuse_where(struct filter *filter, const char *name,
                         const struct scmp_arg_cmp argument)
{
    refuse(filter, &(struct call){name, 0}, EPERM, &argument);
}

/* Nothing is typed into the process's terminal. */
static void refuse_typing(struct filter *filter)
{
    const uint64_t word = UINT32_MAX;
    refuse_where(filter, "ioctl", SCMP_A1(SCMP_CMP_MASKED_EQ, word, TIOCSTI));
    refuse_where(filter, "ioctl", SCMP_A1(SCMP_CMP_MASKED_EQ, word, TIOCLINUX));
}

/* Threads may be started, by clone with its flags in a register: the C library does so without
 * clone3, whose flags are in memory. Signals go to this process alone. */
static void refuse_processes(struct filter *filter)
{
    static const char *const signals[] = {"kill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo"};
    const struct call clone3 = {"clone3", 0};
    refuse_all(filter, refused_to_kernels, sizeof refused_to_kernels / sizeof *refused_to_kernels);
    refuse(filter, &clone3, ENOSYS, NULL);
    refuse_where(filter, "clone", SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0));
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        refuse_where(filter, signals[i], SCMP_A0(SCMP_CMP_NE, (scmp_datum_t)getpid(), 0));
    refuse_where(filter, "prlimit64", SCMP_A0(SCMP_CMP_NE, 0, 0));
}

static void refuse_writing(struct filter *filter)
{
    static const scmp_datum_t flags[] = {O_WRONLY, O_RDWR, O_CREAT};
    refuse_all(filter, refused_without_landlock,
               sizeof refused_without_landlock / sizeof *refused_without_landlock);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        refuse_where(filter, "open", SCMP_A1(SCMP_CMP_MASKED_EQ, flags[i], flags[i]));
        refuse_where(filter, "openat", SCMP_A2(SCMP_CMP_MASKED_EQ, flags[i], flags[i]));
    }
}

bool cgs_seccomp(const struct cgs_containment *containment, bool files)
{
    struct library library;
    if (!open_library(&library))
        return false;
    struct filter filter = {.library = &library, .rules = library.init(SCMP_ACT_ALLOW)};
    if (!filter.rules)
        return false;
    const bool compiler = containment->folder != NULL;
    refuse_all(&filter, refused, sizeof refused / sizeof *refused);
    refuse_typing(&filter);
    if (!compiler)
        refuse_processes(&filter);
    if (containment->cuda)
        refuse_where(&filter, "socket", SCMP_A0(SCMP_CMP_NE, AF_UNIX, 0));
    else
        refuse_all(&filter, sockets, sizeof sockets / sizeof *sockets);
    if (!containment->cuda && !compiler) {
        refuse_all(&filter, refused_without_cuda,
                   sizeof refused_without_cuda / sizeof *refused_without_cuda);
        refuse_where(&filter, "prlimit64", SCMP_A2(SCMP_CMP_NE, 0, 0));
        if (files)
            refuse_writing(&filter);
    }
    /* All threads: a sanitizer may have one of its own. */
    const bool done = library.set(filter.rules, SCMP_FLTATR_CTL_TSYNC, 1) == 0 && !filter.failed &&
                      library.load(filter.rules) == 0;
    library.release(filter.rules);
    return done;
}
