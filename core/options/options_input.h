/* The source of the matrix, and the names of files: what is wrong with them. */
#pragma once

#include "core/options/options.h"

/* CGS_USAGE: an output that is one of the files that options were read from. */
enum cgs_status cgs_options_check_sources(struct cgs_context *context, const struct cgs_options *o);
/* For matrices given by rows: marks the options of the model problem as unknown, and decides
 * --rhs. */
void cgs_options_settle_input(struct cgs_options *o);
/* Returns true if the run reads the file `path`; for a study also if one of its lists names it, or
 * it is part of the study in --report. */
bool cgs_options_keeps(const struct cgs_options *o, const char *path);
/* CGS_USAGE: --json or --csv names such a file. */
enum cgs_status cgs_options_check_kept(struct cgs_context *context, const struct cgs_options *o);
/* Returns true if the name's ending stands for a format other than JSON. */
bool cgs_options_json_misnamed(const char *path);
/* CGS_USAGE: an output that does not go with --plan, is "-", has the ending of another format or
 * of one that needs more than there is to write, or is another file of the run. */
enum cgs_status cgs_options_check_files(struct cgs_context *context, const struct cgs_options *o);
