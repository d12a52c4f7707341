/* The fuzz target of the option parser, by the name and signature that libFuzzer calls. */
#ifndef CGS_TESTS_FUZZ_OPTIONS_H
#define CGS_TESTS_FUZZ_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

/* Returns 0; ends the program where something does not hold. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
