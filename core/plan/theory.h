/* The error of a built-in problem in theory, on its box as reports give it. */
#pragma once

struct cgs_theory_box {
    const char *problem, *kappa, *quadrature; /* by name: "smooth", "jump:1000", "blended" */
    double cells[3], size[3], deform;         /* cells in each direction, lengths, amplitude */
};

/* Returns the order of the error at nodes, 2 or 4; 0: it is not one of discretisation, or the
 * solution is not known everywhere. */
int cgs_theory_nodal_order(const struct cgs_theory_box *box);

/* Returns ||x||_A, where x'b is that of a coarse mesh; NaN: not known. */
double cgs_theory_energy(const struct cgs_theory_box *box);

/* Says between which bounds kappa lies; 1 and 1 where it is no coefficient of a built-in
 * problem. */
void cgs_theory_kappa(const struct cgs_theory_box *box, double *least, double *greatest);
