/* A fuzz target as an ordinary test, without libFuzzer: all its seeds, then a fixed number of
 * pseudo-random changes of them, the same in every run. The input at work is written to
 * fuzz_NAME.input when the target ends the program, so that it can be tried again:
 *
 *     fuzz_options [FILE...]     the seeds and their changes; or these inputs alone */
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_SEEDS = 256, MOST_BYTES = 4096 };

struct input {
    size_t size;
    uint8_t bytes[MOST_BYTES];
};

static struct input seeds[MOST_SEEDS], current;
static int seed_count;
static uint64_t counter;

static uint64_t below(uint64_t n)
{
    return cgs_splitmix64(counter++) % n;
}

static void save_input(int signal)
{
    char name[64];
    (void)signal;
    snprintf(name, sizeof name, "fuzz_%s.input", fuzz_name);
    FILE *file = fopen(name, "w");
    if (file) {
        fwrite(current.bytes, 1, current.size, file);
        fclose(file);
        fprintf(stderr, "the input is in %s\n", name);
    }
    _exit(1);
}

static int read_input(const char *path, struct input *input)
{
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return 0;
    }
    input->size = fread(input->bytes, 1, sizeof input->bytes, file);
    fclose(file);
    return 1;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* in no locale's order */
}

static void read_seeds(const char *folder)
{
    struct dirent **entries = NULL;
    const int count = scandir(folder, &entries, NULL, by_name);
    for (int i = 0; i < count; i++) {
        char path[4096 + 256 + 1];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && seed_count < MOST_SEEDS)
            seed_count += read_input(path, &seeds[seed_count]);
        free(entries[i]);
    }
    free(entries);
}

/* Puts `size` bytes at `at`, in place of `gone` ones that are there. */
static void replace(size_t at, size_t gone, const void *bytes, size_t size)
{
    struct input *c = &current;
    if (c->size - gone + size > MOST_BYTES)
        return;
    memmove(c->bytes + at + size, c->bytes + at + gone, c->size - at - gone);
    memcpy(c->bytes + at, bytes, size);
    c->size = c->size - gone + size;
}

static void change(void)
{
    static const char *const odd[] = {"\n",    "-",     "--",  "=",    "0", "-0",
                                      "1e308", "e-310", "nan", ".5",   "+", ",",
                                      "@",     ":",     "Ki",  "\xff", " ", "99999999999999999999"};
    char word[128];
    struct input piece = seeds[below((uint64_t)seed_count)];
    const size_t at = (size_t)below(current.size + 1);
    const size_t rest = current.size - at;
    const size_t gone = (size_t)below(rest < 8 ? rest + 1 : 9);
    switch (below(5)) {
    case 0: /* another byte */
        if (rest > 0)
            current.bytes[at] = (uint8_t)below(256);
        break;
    case 1:
        replace(at, gone, "", 0);
        break;
    case 2: { /* something that parsers trip over */
        const char *text = odd[below(sizeof odd / sizeof *odd)];
        replace(at, gone, text, strlen(text));
        break;
    }
    case 3: { /* a piece of another seed */
        const size_t from = (size_t)below(piece.size + 1);
        replace(at, gone, piece.bytes + from, (size_t)below(piece.size - from + 1));
        break;
    }
    default:
        fuzz_word(cgs_splitmix64(counter++), word, sizeof word);
        replace(at, 0, word, strlen(word));
    }
}

int main(int argc, char **argv)
{
    const char *sources = getenv("CGS_SRCDIR");
    char folder[4096];
    signal(SIGABRT, save_input);
    for (int i = 1; i < argc; i++) {
        if (!read_input(argv[i], &current))
            return 1;
        LLVMFuzzerTestOneInput(current.bytes, current.size);
    }
    if (argc > 1)
        return 0;
    snprintf(folder, sizeof folder, "%s/%s", sources ? sources : ".", fuzz_seeds);
    read_seeds(folder);
    if (seed_count == 0) {
        fprintf(stderr, "no seeds in %s\n", folder);
        return 1;
    }
    for (int i = 0; i < seed_count; i++) {
        current = seeds[i];
        LLVMFuzzerTestOneInput(current.bytes, current.size);
    }
    for (int i = 0; i < fuzz_changes; i++) {
        current = seeds[below((uint64_t)seed_count)];
        for (uint64_t k = below(4) + 1; k > 0; k--)
            change();
        LLVMFuzzerTestOneInput(current.bytes, current.size);
    }
    printf("%d seeds and %d changes of them held\n", seed_count, fuzz_changes);
    return 0;
}
