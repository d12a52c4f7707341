/* Interface of a fuzz target (tests/fuzz/fuzz_x.c): the function that libFuzzer calls, and what
 * tests/fuzz/fuzz_main.c needs to do without libFuzzer. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns 0; ends the program where something does not hold. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const char fuzz_name[];  /* of the target: "options" */
extern const char fuzz_seeds[]; /* its folder of seeds, from the sources' root */
extern const int fuzz_changes;  /* how many changed ones `make check` tries */

/* Something of the target's language, to be put into an input. */
void fuzz_word(uint64_t draw, char *word, size_t room);

/* Ends the program, loudly: this is what a fuzzer looks for. */
#define HOLDS(condition, ...)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s does not hold: ", __FILE__, __LINE__, #condition);          \
            fprintf(stderr, __VA_ARGS__);                                                          \
            fputc('\n', stderr);                                                                   \
            abort();                                                                               \
        }                                                                                          \
    } while (0)
