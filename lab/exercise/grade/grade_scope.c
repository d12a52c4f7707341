/* The file that Gradescope's autograder reads: /autograder/results/results.json, of one
 * student's files. A test for each exercise, where the best of several files counts; a file that
 * is of no exercise is a test of no points. */
#include <stdlib.h>
#include <string.h>

#include "core/io/json.h"
#include "lab/exercise/grade/grade_scope.h"
#include "lab/exercise/verdict.h"

/* Returns true if a is the file that counts, of two of one exercise. */
static bool is_better(const struct cgs_submission *a, const struct cgs_submission *b)
{
    return cgs_grade_number(a, "points") > cgs_grade_number(b, "points");
}

static bool is_same(const struct cgs_submission *a, const struct cgs_submission *b)
{
    const char *exercise = cgs_grade_text(a, "exercise");
    return exercise[0] && strcmp(exercise, cgs_grade_text(b, "exercise")) == 0;
}

/* The best file of the exercise that submission i is of; NULL where an earlier one has shown it.
 * *others: how many more there are. */
static const struct cgs_submission *best_of(const struct cgs_grade *grade, int i, int *others)
{
    const struct cgs_submission *all = grade->submissions, *best = &all[i];
    *others = 0;
    for (int k = 0; k < grade->count; k++) {
        if (k == i || !is_same(&all[i], &all[k]))
            continue;
        if (k < i)
            return NULL;
        ++*others;
        if (is_better(&all[k], best))
            best = &all[k];
    }
    return best;
}

/* Reason, hint, what to read next: a paragraph each. */
static json_t *output_of(const struct cgs_submission *s, int others)
{
    static const char *const keys[] = {"reason", "hint", "next"};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    fprintf(file, "%s: %s", s->file, cgs_exercise_state_name(s->state));
    if (others > 0)
        fprintf(file, " (the best of %d files)", others + 1);
    for (int i = 0; i < 3; i++)
        if (cgs_grade_text(s, keys[i])[0])
            fprintf(file, "\n\n%s", cgs_grade_text(s, keys[i]));
    json_t *output = fclose(file) == 0 ? cgs_json_text(text) : NULL;
    free(text);
    return output;
}

void cgs_grade_scope(const struct cgs_grade *grade, FILE *file)
{
    json_t *tests = json_array();
    double score = 0.0, seconds = 0.0;
    for (int i = 0; i < grade->count; i++) {
        int others;
        const struct cgs_submission *s = best_of(grade, i, &others);
        seconds += grade->submissions[i].seconds;
        if (!s)
            continue;
        const char *exercise = cgs_grade_text(s, "exercise"), *title = cgs_grade_text(s, "title");
        score += cgs_grade_number(s, "points");
        json_array_append_new(
            tests, json_pack("{so sf sf ss so ss}", "name",
                             cgs_json_text(title[0]      ? title
                                           : exercise[0] ? exercise
                                                         : s->file),
                             "score", cgs_grade_number(s, "points"), "max_score",
                             exercise[0] ? cgs_grade_number(s, "possible") : 0.0, "status",
                             s->state == CGS_EXERCISE_RIGHT ? "passed" : "failed", "output",
                             output_of(s, others), "visibility", "visible"));
    }
    json_t *root =
        json_pack("{sf sf ss ss so}", "score", score, "execution_time", seconds, "visibility",
                  "visible", "output", "Judged by 'cgsolve exercise check'.", "tests", tests);
    json_dumpf(root, file, JSON_INDENT(2));
    fputc('\n', file);
    json_decref(root);
}
