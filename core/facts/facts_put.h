/* Makes a table of facts (core/facts/facts.h) keys of the report `root`, where it is included;
 * `object` is a json_t * that holds the object of the rows, NULL where that is left out. */
#pragma once

#include "core/facts/facts.h"
#include "core/io/json.h"

#define CGS_OBJECT(place, when, meaning) object = (when) ? cgs_json_at(root, place) : NULL;
#define CGS_FACT(key, kind, unit, rule, when, value, meaning)                                      \
    if (object && (when))                                                                          \
        cgs_put_##kind(object, #key, value);
#define CGS_LAST(key, rule, meaning)
