#include "core/facts/notes.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/plain.h"
#include "core/io/format.h"
#include "solver/cg/cg_result.h"

/* An error so far above what residual and condition number bound has another reason:
 * ||x - u|| / ||u|| <= kappa ||r|| / ||b||, and kappa is only estimated. */
static const double FAR_ABOVE = 100.0;

static bool error_unexplained(const struct cgs_report *report)
{
    const struct cgs_cg_result *r = &report->result;
    const double unit =
        report->settings->precision == CGS_PRECISION_F32 ? FLT_EPSILON : DBL_EPSILON;
    return report->has_known && cgs_outcome_status(r->outcome) == CGS_OK &&
           r->condition_estimate > 0.0 && report->settings->precond == CGS_PRECOND_NONE &&
           report->known.relative >
               FAR_ABOVE * r->condition_estimate * (r->true_relative_residual + unit);
}

/* Adds a note about a row that is less right than the others, if there is one. */
static int note_of_row(const struct cgs_report *report, cgs_note *note)
{
    const struct cgs_cg_result *r = &report->result;
    cgs_row_name row;
    if (!report->has_result || !r->rows.looked || r->rows.proven ||
        cgs_outcome_status(r->outcome) != CGS_OK)
        return 0;
    snprintf(
        *note, sizeof *note,
        "in %s the residual is %.1e of its own terms |A| |x| + |b|, though all together are small "
        "relative to b: x may be less accurate there; a %s shows",
        cgs_report_row_name(report, r->rows.row, row), r->rows.worst,
        r->iterations < report->settings->max_iterations ? "smaller \1tol"
                                                         : "larger \1max-iterations");
    return 1;
}

/* A known u that is missed by more is worth a word. */
static const double MISSED = 1e-2;

/* Says what A takes to 0, and what became of b's part along it. */
static void note_nullspace(const struct cgs_report *report, cgs_note *note)
{
    const struct cgs_nullspace_facts *n = &report->nullspace;
    char which[96] = "constants solve A x = 0";
    if (n->vectors)
        snprintf(which, sizeof which, "A takes %lld vector%s to 0", (long long)n->dimension,
                 n->dimension == 1 ? "" : "s");
    else if (n->dimension > 1)
        snprintf(which, sizeof which, "constants solve A x = 0 on each of %lld parts",
                 (long long)n->dimension);
    if (n->taken)
        snprintf(*note, sizeof *note,
                 "%s: b's part along them, %.1e of ||b||, was taken off, and x has %s", which,
                 n->outside, report->has_known ? "u's" : "none");
    else
        snprintf(*note, sizeof *note,
                 "%s, and b's part along them is %.1e of ||b||: \1nullspace=constant takes it off",
                 which, n->outside);
}

static int notes_of_file(const struct cgs_report *report, cgs_note notes[CGS_NOTES_MOST])
{
    const struct cgs_market *market = &report->market;
    cgs_text number;
    int count = 0;
    if (market->duplicates > 0)
        snprintf(notes[count++], sizeof *notes,
                 "%s entr%s of the file %s added to another one at the same place",
                 cgs_count_text(market->duplicates, number), market->duplicates == 1 ? "y" : "ies",
                 market->duplicates == 1 ? "was" : "were");
    if (market->zeros > 0)
        snprintf(notes[count++], sizeof *notes,
                 "%s entr%s of the matrix %s 0, and multiplied like any other",
                 cgs_count_text(market->zeros, number), market->zeros == 1 ? "y" : "ies",
                 market->zeros == 1 ? "is" : "are");
    if (report->nullspace.dimension > 0 && report->has_result)
        note_nullspace(report, &notes[count++]);
    if (report->asymmetry.most > 0.0) {
        const struct cgs_asymmetry *a = &report->asymmetry;
        char alone[96] = "";
        if (a->alone > 0)
            snprintf(alone, sizeof alone, ", its %s entr%s without a mirror image as 0",
                     cgs_count_text(a->alone, number), a->alone == 1 ? "y" : "ies");
        snprintf(notes[count++], sizeof *notes,
                 "the matrix is symmetric except for rounding, and was taken as (A + A') / 2%s: "
                 "a(%lld, %lld) = %.17g and a(%lld, %lld) = %.17g differ most, by %.1e of the "
                 "largest entry in both rows",
                 alone, (long long)a->row + 1, (long long)a->column + 1, a->entry,
                 (long long)a->column + 1, (long long)a->row + 1, a->mirror, a->most);
    }
    if (error_unexplained(report))
        snprintf(notes[count++], sizeof *notes,
                 "the error is far larger than residual and condition number allow: the matrix "
                 "seems to be singular, and x one of many solutions");
    else if (report->has_known && report->known.relative > MISSED &&
             cgs_outcome_status(report->result.outcome) == CGS_OK)
        snprintf(
            notes[count++], sizeof *notes,
            "b = A u with a known u, which x misses by %.1e of ||u||, though the residual is %.1e "
            "of ||b||: many x have so small a residual; a smaller \1tol may come nearer",
            report->known.relative, report->result.true_relative_residual);
    return count;
}

/* An imbalance, over what comes in, above which a box gets a note. */
static const double UNBALANCED = 1e-3;

/* Returns how far the balance is off, over what comes in; 0: nothing does but what the solver
 * left, or there is no balance. */
static double imbalance_of(const struct cgs_report *report)
{
    const struct cgs_balance *b = &report->balance;
    double in = fmax(b->source, 0.0) + fmax(-b->reaction, 0.0);
    double out = fmax(-b->source, 0.0) + fmax(b->reaction, 0.0);
    for (int f = 0; f < 6; f++) {
        const double flux = b->flux[f >> 1][f & 1];
        in += fmax(-flux, 0.0);
        out += fmax(flux, 0.0);
    }
    const double most = fmax(in, out);
    const bool still = b->still && !report->settings->rhs;
    return report->has_balance && most > 0.0 && !still ? fabs(b->imbalance) / most : 0.0;
}

/* Returns true if u leaves the values and ambients of the faces where nothing takes it there, by
 * more than 1e-4 of its range and what the solve left. low: it falls below them. */
static bool leaves_given(const struct cgs_report *report, bool *low)
{
    const struct cgs_balance *b = &report->balance;
    const struct cgs_extremes *e = &report->extremes;
    const double left = 1e3 * report->result.true_relative_residual;
    const double range = fmax(e->most, b->most_given) - fmin(e->least, b->least_given);
    const double most = fmax(fabs(b->least_given), fabs(b->most_given));
    const double under = b->floored ? b->least_given - e->least : 0.0;
    const double over = b->capped ? e->most - b->most_given : 0.0;
    *low = under >= over;
    return report->has_balance && report->has_extremes && !report->settings->rhs &&
           fmax(under, over) > fmax(1e-4, left) * range + left * most;
}

/* Sum of a load over that of its magnitudes which rounding and quadrature leave, where it has to
 * be 0. */
static const double BALANCED = 1e-6;

static int notes_of_box(const struct cgs_report *report, cgs_note notes[CGS_NOTES_MOST])
{
    const struct cgs_mesh *mesh = &report->mesh;
    const bool jump = mesh->kappa.kind == CGS_KAPPA_JUMP, cut = jump && cgs_mesh_cuts(mesh);
    /* Each octant a plain cube of its own, and a solution that knows it. */
    const bool in_octants = jump && !cut && report->settings->problem->over_kappa;
    int count = 0;
    if (mesh->quadrature == CGS_BLENDED && !cgs_mesh_plain(mesh) &&
        !(in_octants && mesh->deform == 0.0))
        strcpy(notes[count++],
               "blended quadrature is fourth-order at the nodes of the plain cube with "
               "constant coefficient only: second order here");
    if (cut)
        snprintf(notes[count++], sizeof *notes,
                 "%s, so that the jump of kappa runs through cells, not between them: less "
                 "accurate, and no integral errors; %s",
                 mesh->order > 1 ? "a direction has an odd number of cells" : "N is even",
                 mesh->order > 1 ? "even numbers fit" : "an odd N fits");
    if (report->free_constant && fabs(report->compatibility) > BALANCED)
        strcpy(notes[count++], "no face holds u, and source and fluxes do not balance: this is the "
                               "solution for a load "
                               "without its mean; a face with a value or h would let the rest out");
    if (imbalance_of(report) > UNBALANCED && cgs_outcome_status(report->result.outcome) == CGS_OK &&
        !(report->free_constant && fabs(report->compatibility) > BALANCED))
        snprintf(notes[count++], sizeof *notes,
                 "what comes in and what goes out differ by %.1e of it, at a relative residual of "
                 "%.1e: the fluxes of the faces may be wrong by as much",
                 imbalance_of(report), report->result.true_relative_residual);
    bool low;
    if (leaves_given(report, &low) && cgs_outcome_status(report->result.outcome) == CGS_OK) {
        const struct cgs_balance *b = &report->balance;
        const struct cgs_extremes *e = &report->extremes;
        snprintf(notes[count++], sizeof *notes,
                 "u %s to %.6g at a node, %s the %s value or ambient of the faces, %.6g, though no "
                 "source or flux %s: an error of long or flat cells next to jumps of kappa or a "
                 "large h or reaction, which finer \1cells lessen",
                 low ? "falls" : "rises", low ? e->least : e->most, low ? "below" : "above",
                 low ? "least" : "largest", low ? b->least_given : b->most_given,
                 low ? "takes anything out" : "brings anything in");
    }
    if (!report->settings->model &&
        cgs_problem_known(report->settings->problem, mesh) == CGS_KNOWN_NOWHERE)
        strcpy(notes[count++], "no exact solution is known for this coefficient, so no errors are "
                               "measured; \1problem=octants has one on the undeformed cube");
    return count;
}

/* Adds a note where amg began again with cycles in double. */
static int note_of_again(const struct cgs_report *report, cgs_note *note)
{
    const struct cgs_again *again = &report->again;
    char after[96] = "";
    if (!again->why)
        return 0;
    if (again->iterations > 0)
        snprintf(after, sizeof after, " after %lld iteration%s", (long long)again->iterations,
                 again->iterations == 1 ? "" : "s");
    const size_t used = strlen(after);
    if (again->iterations > 0 && isfinite(again->relative_residual))
        snprintf(after + used, sizeof after - used, " at a relative residual of %.1e",
                 again->relative_residual);
    snprintf(*note, sizeof *note,
             "amg began again with cycles in double%s: with those in single %s; "
             "\1precond-precision=double has them from the start",
             after, again->why);
    return 1;
}

int cgs_report_notes(const struct cgs_report *report, cgs_note notes[CGS_NOTES_MOST])
{
    if (!report->has_matrix)
        return 0;
    const int count = cgs_settings_box(report->settings) ? notes_of_box(report, notes)
                                                         : notes_of_file(report, notes);
    int all = count + note_of_row(report, &notes[count]);
    all += note_of_again(report, &notes[all]);
    for (int i = 0; i < all; i++)
        cgs_name_settings(notes[i], sizeof *notes);
    return all;
}
