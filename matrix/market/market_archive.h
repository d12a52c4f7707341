/* Archive of a text: private to matrix/market. */
#pragma once

#include "matrix/market/market.h"
#include "matrix/market/market_stream.h"

struct archive_entry;

/* Opens text->path at the text; sets reader, unpack, packed, archive, member, zip, text_bytes,
 * ended. Must be closed even after a failure. */
enum cgs_status cgs_market_archive_open(struct cgs_market_text *text);
void cgs_market_archive_close(struct cgs_market_text *text);

/* Goes back to before the first member. */
enum cgs_status cgs_market_archive_rewind(struct cgs_market_text *text);

/* Goes to the next member; *entry: its header, NULL at the end. */
enum cgs_status cgs_market_archive_next(struct cgs_market_text *text, struct archive_entry **entry);

/* Returns the failure of libarchive's input, else CGS_FILE with libarchive's own message. */
enum cgs_status cgs_market_archive_failed(struct cgs_market_text *text);

/* Lists the members of an archive that are matrices, in the archive's order. Where one is named
 * like its folder (NAME/NAME.mtx), the others of that folder belong to it, and are left out.
 * None: a file that is no archive, or one without a matrix. Reads the archive to its end. The
 * caller releases *names. CGS_FILE, CGS_MEMORY, CGS_INTERRUPTED. */
enum cgs_status cgs_market_members(struct cgs_context *context, const char *path,
                                   const struct cgs_market_settings *settings, char ***names,
                                   int *count);
void cgs_market_members_release(char **names, int count);
