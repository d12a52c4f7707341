/* A point of a study: its options, its names, its command line, and what its report says. */
#pragma once

#include "lab/study/study.h"

const char *cgs_point_value(const struct cgs_study *study, const struct cgs_point *point,
                            enum cgs_option_id id);

/* Returns true if the points differ in no swept option but this one. */
bool cgs_points_alike(const struct cgs_study *study, const struct cgs_point *a,
                      const struct cgs_point *b, enum cgs_option_id but);

/* Returns the N of a cube of as many cells as --cells=20x36x50 says; NaN if it is not
 * understood. */
double cgs_point_cube(const char *cells);

/* Returns the degree of the polynomials in each cell. */
double cgs_point_order(const struct cgs_study *study, const struct cgs_point *point);
/* Returns the N that is asked for, of --cells that of a cube of as many unknowns; NaN: none is. */
double cgs_point_size(const struct cgs_study *study, const struct cgs_point *point);

/* "N=31, gauss, crs": the values of a point's swept options; `but_n`: without N. */
void cgs_point_label(const struct cgs_study *study, const struct cgs_point *point, bool but_n,
                     char *text, size_t size);
/* "N31-gauss-crs": the same for a file; "point" where nothing is swept. */
void cgs_point_name(const struct cgs_study *study, const struct cgs_point *point, char *text,
                    size_t size);

/* Gives a point that name, or one with a number where another has it. CGS_MEMORY. */
enum cgs_status cgs_study_name(const struct cgs_study *study, struct cgs_point *point);

/* The command line of a point without --json: "cgsolve", "solve", "--N=7", ..., NULL. Owned by the
 * caller, by cgs_words_release; NULL: no memory. */
char **cgs_point_words(const struct cgs_study *study, const struct cgs_point *point);
/* The word that is added where nobody says how many solves. */
extern const char cgs_several_solves[];
void cgs_words_release(char **words);

/* "error.l2" of a report; NULL: it has none. Borrowed. */
const json_t *cgs_report_find(const json_t *root, const char *path);

/* A text of the point's report ("problem.name"); "" where it has none. */
const char *cgs_point_text(const struct cgs_point *point, const char *path);

/* A number; NaN where it has none. */
double cgs_point_number(const struct cgs_point *point, const char *path);

/* A fact; NaN where it is not in the report, or says nothing: the seconds of transfers of a point
 * that transferred nothing. */
double cgs_point_fact(const struct cgs_point *point, enum cgs_fact fact);

/* Reads the point's report, if there is one, and takes its facts and message. CGS_MEMORY: there is
 * none to read it with, which says nothing of the point. */
enum cgs_status cgs_point_take(struct cgs_context *context, struct cgs_point *point);
void cgs_point_forget(struct cgs_point *point);
/* Least and most of a fact that is the median of several measurements, or a rate by such seconds.
 * Returns false, and NaN, where it is neither, or was measured once. */
bool cgs_point_range(const struct cgs_point *point, enum cgs_fact fact, double *least,
                     double *most);

/* Returns true if a point was run. */
static inline bool cgs_point_done(const struct cgs_point *point)
{
    return point->exit_status >= 0;
}
