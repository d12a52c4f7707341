#include "fem/element/polynomials.h"

void cgs_polynomials_cosines(double cosine[CGS_CHEBYSHEV][CGS_CHEBYSHEV])
{
    /* cos(i pi / 16) for i = 0 ... 8; the others by symmetry. */
    static const double quarter[] = {1.0,
                                     0.98078528040323044913,
                                     0.92387953251128675613,
                                     0.83146961230254523708,
                                     0.70710678118654752440,
                                     0.55557023301960222474,
                                     0.38268343236508977173,
                                     0.19509032201612826785,
                                     0.0};
    for (int m = 0; m < CGS_CHEBYSHEV; m++)
        for (int j = 0; j < CGS_CHEBYSHEV; j++) {
            const int i = m * (2 * j + 1) % 32, half = i > 16 ? 32 - i : i; /* cos is even */
            cosine[m][j] = half > 8 ? -quarter[16 - half] : quarter[half];
        }
}

/* Extents of the cells along axis k: centre and radius. */
static void extent(const cgs_lanes corner[24], int k, const double origin[CGS_CELL_LANES],
                   double centre[CGS_CELL_LANES], double radius[CGS_CELL_LANES])
{
    for (int i = 0; i < CGS_CELL_LANES; i++) {
        double least = corner[k][i], most = least;
        for (int a = 1; a < 8; a++) {
            const double here = corner[3 * a + k][i];
            least = here < least ? here : least;
            most = here > most ? here : most;
        }
        centre[i] = origin[i] + 0.5 * (least + most);
        radius[i] = 0.5 * (most - least);
    }
}

/* Coefficients of one factor and of its derivative from their values at the points. */
CGS_PIECE void transform(const double cosine[CGS_CHEBYSHEV][CGS_CHEBYSHEV],
                         double at[2][CGS_CHEBYSHEV][CGS_CELL_LANES],
                         cgs_lanes value[CGS_CHEBYSHEV], cgs_lanes slope[CGS_CHEBYSHEV])
{
    for (int m = 0; m < CGS_CHEBYSHEV; m++) {
        const double weight = (m == 0 ? 1.0 : 2.0) / CGS_CHEBYSHEV;
        cgs_lanes sums[2] = {{0.0}, {0.0}};
        for (int j = 0; j < CGS_CHEBYSHEV; j++)
            for (int d = 0; d < 2; d++) {
                cgs_lanes here;
                CGS_LANES_LOAD(here, at[d][j]);
                sums[d] += here * cosine[m][j];
            }
        value[m] = weight * sums[0];
        slope[m] = weight * sums[1];
    }
}

CGS_CLONES void cgs_polynomials_fit(const struct cgs_problem *problem, const double over[3],
                                    const double cosine[CGS_CHEBYSHEV][CGS_CHEBYSHEV],
                                    const cgs_lanes corner[24], double origin[3][CGS_CELL_LANES],
                                    struct cgs_polynomials *polynomials)
{
    polynomials->terms = problem->terms;
    for (int k = 0; k < 3; k++) {
        double centre[CGS_CELL_LANES], radius[CGS_CELL_LANES];
        extent(corner, k, origin[k], centre, radius);
        for (int i = 0; i < CGS_CELL_LANES; i++) {
            polynomials->centre[k][i] = centre[i];
            polynomials->scale[k][i] = radius[i] > 0.0 ? 1.0 / radius[i] : 0.0;
        }
        for (int term = 0; term < problem->terms; term++) {
            double at[2][CGS_CHEBYSHEV][CGS_CELL_LANES];
            for (int j = 0; j < CGS_CHEBYSHEV; j++)
                for (int i = 0; i < CGS_CELL_LANES; i++) {
                    double g[3];
                    cgs_factor_at(problem->factor[term][k],
                                  (centre[i] + radius[i] * cosine[1][j]) * over[k], g);
                    at[0][j][i] = g[0];
                    at[1][j][i] = g[1] * over[k];
                }
            transform(cosine, at, polynomials->value[term][k], polynomials->slope[term][k]);
        }
    }
}
