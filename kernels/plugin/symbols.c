/* The table of dynamic symbols of an ELF file (System V ABI, ch. 4): a section of the type
 * SHT_DYNSYM, whose sh_link is the number of the section with the names. A function that is called
 * and defined elsewhere has the section number SHN_UNDEF. */
#include "kernels/plugin/symbols.h"

#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child.h"
#include "base/plain.h"

enum { PATIENCE = 5, LINE = 1024 }; /* seconds, characters */

/* Runs addr2line and returns the first line that it prints, "" if it prints none in time. */
static void ask(char *const *words, char line[LINE])
{
    pid_t pid;
    FILE *said = cgs_child_output();
    line[0] = '\0';
    if (!said)
        return;
    const int descriptors[] = {-1, fileno(said), -1};
    if (cgs_child_start(words[0], words, descriptors, 3, &pid) == 0) {
        cgs_child_end(pid, !cgs_child_gone(pid, PATIENCE));
        rewind(said);
        if (!fgets(line, LINE, said))
            line[0] = '\0';
    }
    fclose(said);
}

void cgs_addr2line(const char *library, uint64_t offset, char *text, size_t size)
{
    char program[] = "addr2line", of[] = "-e", place[32], path[4096], line[LINE];
    char *words[] = {program, of, path, place, NULL};
    snprintf(path, sizeof path, "%s", library);
    snprintf(place, sizeof place, "0x%" PRIx64, offset);
    ask(words, line);
    line[strcspn(line, " \n")] = '\0';
    const char *name = strrchr(line, '/');
    name = name ? name + 1 : line;
    const char *number = strrchr(name, ':');
    const int known = number && number[1] >= '1' && number[1] <= '9'; /* otherwise it prints ??:0 */
    snprintf(text, size, "%s", known ? name : "");
}

/* Functions that a kernel has no need of. */
static const char *const names[] = {
    "accept",  "bind",     "chmod",  "chown",       "clone",        "connect",  "creat",   "dlopen",
    "dlsym",   "execl",    "execle", "execlp",      "execv",        "execve",   "execvp",  "fopen",
    "fork",    "freopen",  "kill",   "link",        "mkdir",        "mprotect", "open",    "openat",
    "opendir", "pipe",     "popen",  "posix_spawn", "posix_spawnp", "prctl",    "ptrace",  "remove",
    "rename",  "rmdir",    "sendto", "setrlimit",   "socket",       "symlink",  "syscall", "system",
    "tmpfile", "truncate", "unlink", "vfork"};
enum { NAMES = sizeof names / sizeof *names };

/* Returns the number of the function that a symbol calls, NAMES if it is none of them. The symbol
 * may be a variant of it: fopen64, __open_2. */
static int find(const char *symbol)
{
    if (strncmp(symbol, "__", 2) == 0)
        symbol += 2;
    for (int i = 0; i < NAMES; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(symbol, names[i], length) != 0)
            continue;
        const char *rest = symbol + length;
        rest += strncmp(rest, "64", 2) == 0 ? 2 : 0;
        rest += strncmp(rest, "_2", 2) == 0 ? 2 : 0;
        if (*rest == '\0')
            return i;
    }
    return NAMES;
}

struct image {
    const char *bytes;
    size_t length;
};

/* Returns `count` things of `size` bytes at an offset, NULL if they are not within the image. */
static const void *within(const struct image *image, size_t offset, size_t count, size_t size)
{
    return offset <= image->length && count <= (image->length - offset) / size
               ? image->bytes + offset
               : NULL;
}

static void look_at(const struct image *image, const ElfW(Shdr) * symbols,
                    const ElfW(Shdr) * strings, bool called[NAMES])
{
    const size_t count = symbols->sh_size / sizeof(ElfW(Sym));
    const ElfW(Sym) *table = within(image, symbols->sh_offset, count, sizeof *table);
    const char *text = within(image, strings->sh_offset, strings->sh_size, 1);
    if (!table || !text || strings->sh_size == 0 || text[strings->sh_size - 1] != '\0')
        return;
    for (size_t i = 0; i < count; i++) {
        if (table[i].st_shndx != SHN_UNDEF || table[i].st_name >= strings->sh_size)
            continue;
        const int which = find(text + table[i].st_name);
        if (which < NAMES)
            called[which] = true;
    }
}

static void look_through(const struct image *image, bool called[NAMES])
{
    const ElfW(Ehdr) *head = within(image, 0, 1, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_shentsize != sizeof(ElfW(Shdr)))
        return;
    const ElfW(Shdr) *sections = within(image, head->e_shoff, head->e_shnum, sizeof *sections);
    for (int i = 0; sections && i < head->e_shnum; i++)
        if (sections[i].sh_type == SHT_DYNSYM && sections[i].sh_link < head->e_shnum)
            look_at(image, &sections[i], &sections[sections[i].sh_link], called);
}

void cgs_symbols_calls(const char *path, char *text, size_t size)
{
    bool called[NAMES] = {false};
    struct stat about;
    text[0] = '\0';
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return;
    if (fstat(file, &about) == 0 && about.st_size > 0) {
        struct image image = {.length = (size_t)about.st_size};
        void *bytes = mmap(NULL, image.length, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            image.bytes = bytes;
            look_through(&image, called);
            munmap(bytes, image.length);
        }
    }
    close(file);
    for (int i = 0; i < NAMES; i++)
        if (called[i])
            cgs_append(text, size, "%s%s", text[0] ? ", " : "", names[i]);
}
