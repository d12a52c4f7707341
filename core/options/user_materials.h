/* --material and --region: the materials of a problem of the user's own. */
#pragma once

#include "base/constants.h"
#include "fem/user_problem/materials.h"

/* Bytes of a line with its end; longer expressions are refused anyhow. */
enum { CGS_LINE_MOST = 8192 };

/* Calls `visit` for each line of a text of several (CGS_KIND_TEXTS), until one fails; NULL has
 * none. CGS_USAGE: a line is too long. */
typedef enum cgs_status cgs_line_visitor(struct cgs_context *context, void *user, const char *line);
enum cgs_status cgs_each_line(struct cgs_context *context, const char *text, void *user,
                              cgs_line_visitor *visit);

/* Makes the expressions of "EXPR" or "EXPR,EXPR,EXPR", kappa in x, y and z, of which the last two
 * are NULL if the three are one text. option: for messages. */
enum cgs_status cgs_ask_kappa(struct cgs_context *context, const char *option, const char *text,
                              const struct cgs_constants *constants, struct cgs_expression **kappa,
                              struct cgs_expression *across[2]);

/* Reads the materials and their regions from the texts of both options, with a line for each;
 * NULL has none. The expressions may use x, y, z and the constants. What was read before an
 * error is the caller's to release, too. CGS_USAGE: a line is not understood, a material is
 * given twice or has no region, a region's material is unknown (the message has the nearest
 * spelling); CGS_MEMORY. */
enum cgs_status cgs_ask_materials(struct cgs_context *context, const char *material,
                                  const char *region, const struct cgs_constants *constants,
                                  struct cgs_materials *materials);
