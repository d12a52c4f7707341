/* The stencil of a mesh whose cells are alike. */
#include "fem/element/stencil.h"

#include "fem/box.h"

void cgs_mesh_stencil(const struct cgs_mesh *mesh, double number[8])
{
    static const int cells[8] = {8, 4, 4, 2, 4, 2, 2, 1}; /* that two such nodes share */
    double value[8];
    cgs_box_classes(mesh, value);
    for (int b = 0; b < 8; b++)
        number[b] = mesh->scale * (cells[b] * value[b]);
}
