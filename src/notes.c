#include "src/notes.h"

int cgs_report_notes(const struct cgs_report *report, const char *notes[CGS_NOTES_MOST])
{
    const struct cgs_mesh *mesh = &report->mesh;
    const bool jump = mesh->kappa.kind == CGS_KAPPA_JUMP, cut = jump && mesh->n % 2 == 0;
    /* Each octant a plain cube of its own, and a solution that knows it. */
    const bool in_octants = jump && !cut && report->options->problem->over_kappa;
    int count = 0;
    if (!report->has_matrix)
        return 0;
    if (mesh->quadrature == CGS_BLENDED && !cgs_mesh_plain(mesh) &&
        !(in_octants && mesh->deform == 0.0))
        notes[count++] = "blended quadrature is fourth-order at the nodes of the plain cube with "
                         "constant coefficient only: second order here";
    if (cut)
        notes[count++] = "N is even, so that the jump of kappa runs through cells, not between "
                         "them: less accurate, and no integral errors; an odd N fits";
    if (cgs_problem_known(report->options->problem, mesh) == CGS_KNOWN_NOWHERE)
        notes[count++] = "no exact solution is known for this coefficient, so no errors are "
                         "measured; --problem=octants has one on the undeformed cube";
    return count;
}
