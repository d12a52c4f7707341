/* The problem of the user's own that expressions describe. */
#pragma once

#include <stdbool.h>

#include "fem/problem.h"
#include "fem/user_problem/materials.h"
#include "fem/user_problem/user_problem.h"

struct cgs_user_model {
    struct cgs_context *context; /* borrowed: of the expressions and the numbers */
    struct cgs_problem problem;  /* settings->problem */
    char exact[512], kappa[128]; /* a built-in problem in expressions, on graded cells for one */
    struct cgs_user_problem user;
    struct cgs_materials materials; /* their facts are there once the problem is settled */
    struct cgs_mesh mesh;           /* its kappa.cells are there once the problem is settled */
    bool settled;
};
