/* Files of options, @FILE on the command line: their options take its place.
 *
 *     # a wall of two materials                 a comment; so is what follows a blank and #
 *     study                                     the command may stand on the first line
 *     N=16                                      --N=16; the dashes may be left out
 *     kappa = jump:1000                         blanks around the = do not count
 *     --report=a wall                           the value goes to the end of the line, without quotes
 *     verbose
 *     @solver.txt                               another file, relative to this one's folder
 *
 * doc/options.md has the rules. */
#pragma once

#include "base/context.h"
#include "core/options/arguments.h"

struct cgs_command_line {
    struct cgs_arguments arguments; /* of the words below, or, without files, of the process */
    char **words, **files;          /* owned, as the texts are */
    struct cgs_origin *origins;     /* one a word */
    int word_count, word_room, file_count, file_room;
};

/* Reads the command line with the options of its files in the place of @FILE. An option that
 * another place has as well counts where it stands last, and is left out elsewhere. An @FILE
 * behind --, or as the value of the option before it (--matrix @a.mtx), stays a word. CGS_FILE:
 * a file that cannot be read, is no text, or includes itself; CGS_USAGE: a line that cannot be
 * an option; the message begins with file and line. *line is set after errors, too, with what
 * could be read; release it. */
enum cgs_status cgs_command_line_read(struct cgs_context *context, int argc,
                                      const char *const *argv, struct cgs_command_line *line);
void cgs_command_line_release(struct cgs_command_line *line);
