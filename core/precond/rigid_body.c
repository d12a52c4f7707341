#include "core/precond/rigid_body.h"

#include <math.h>

bool cgs_body_centre(int64_t nodes, double *x)
{
    double most = 0.0;
    for (int k = 0; k < CGS_BODY_DIMENSIONS; k++) {
        double sum = 0.0;
        for (int64_t i = 0; i < nodes; i++)
            sum += x[k * nodes + i] / (double)nodes;
        for (int64_t i = 0; i < nodes; i++) {
            x[k * nodes + i] -= sum;
            most = fmax(most, fabs(x[k * nodes + i]));
        }
    }
    for (int64_t i = 0; i < CGS_BODY_DIMENSIONS * nodes && most > 0.0; i++)
        x[i] /= most;
    return most > 0.0;
}

void cgs_body_modes(int64_t nodes, const double *x, double *modes)
{
    const int64_t rows = CGS_BODY_DIMENSIONS * nodes;
    for (int64_t i = 0; i < CGS_BODY_MODES * rows; i++)
        modes[i] = 0.0;
    for (int64_t i = 0; i < nodes; i++)
        for (int k = 0; k < CGS_BODY_DIMENSIONS; k++) {
            const int next = (k + 1) % CGS_BODY_DIMENSIONS, after = (k + 2) % CGS_BODY_DIMENSIONS;
            double *rotation = modes + (CGS_BODY_DIMENSIONS + k) * rows + CGS_BODY_DIMENSIONS * i;
            modes[k * rows + CGS_BODY_DIMENSIONS * i + k] = 1.0;
            rotation[next] = -x[after * nodes + i];
            rotation[after] = x[next * nodes + i];
        }
}
