/* Rows whose parts are summed separately and added up afterwards (split_rows.cuh): the host's
 * list. */
#pragma once

#include <stdint.h>

/* A split row: its parts are in slots slot ... slot of the next split row - 1. The last element of
 * a list is a sentinel whose slot is the number of slots. */
struct cgs_split {
    int64_t row, slot;
};
