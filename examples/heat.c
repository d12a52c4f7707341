/* Heat in a box by libcgsolve: implicit steps in time with one set-up, and a picture at the end.
 *
 *     du/dt = div(grad u) + f,   u = 0 at the start and on four faces, nothing through the others
 *
 * A step of backward Euler solves -div(grad u) + u / dt = f + u_before / dt: a problem of the box
 * with the reaction 1 / dt, of which cgsolve_step makes a step.
 *
 *     heat [N [STEPS [DT]]]     writes heat.pgm, the plane z = 1/2
 */
#include <cgsolve/cgsolve.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static enum cgsolve_status ask_for_box(struct cgsolve *solver, int n, double dt)
{
    static const char *const options[][2] = {{"source", "hypot(x-0.3,y-0.4) < 0.15 ? 100 : 0"},
                                             {"face", "z0:flux"},
                                             {"face", "z1:flux"},
                                             {"format", "none"},
                                             {"precond", "fdm"},
                                             {"tol", "1e-8"}};
    enum cgsolve_status status = cgsolve_matrix_box(solver);
    for (size_t i = 0; status == CGSOLVE_OK && i < sizeof options / sizeof options[0]; i++)
        status = cgsolve_set(solver, options[i][0], options[i][1]);
    if (status == CGSOLVE_OK)
        status = cgsolve_set_integer(solver, "N", n);
    return status == CGSOLVE_OK ? cgsolve_set_real(solver, "reaction", 1.0 / dt) : status;
}

/* Makes STEPS steps; u: those before and after. */
static enum cgsolve_status march(struct cgsolve *solver, int64_t unknowns, int steps, double dt,
                                 double *u)
{
    struct cgsolve_result result;
    enum cgsolve_status status = cgsolve_setup(solver);
    double since = now(), solving = 0.0, setting_up = 0.0;
    for (int k = 1; status == CGSOLVE_OK && k <= steps; k++) {
        if ((status = cgsolve_step(solver, unknowns, u, &result)) != CGSOLVE_OK)
            return status;
        solving += result.solve_seconds;
        setting_up += result.setup_seconds;
        if (k % ((steps + 4) / 5) == 0)
            printf("t = %-6g u in the middle %.6f, %d iterations\n", k * dt, u[unknowns / 2],
                   (int)result.iterations);
    }
    if (status == CGSOLVE_OK && steps > 0)
        printf(
            "%lld unknowns, %d steps, each %.3f ms; of these %.3f in iterations, %.3f in set-up\n",
            (long long)unknowns, steps, 1e3 * (now() - since) / steps, 1e3 * solving / steps,
            1e3 * setting_up / steps);
    return status;
}

/* Draws a plane of n x n numbers, the largest in white. Returns 0, or 1 for a file that fails. */
static int draw(int n, const double *plane)
{
    FILE *file = fopen("heat.pgm", "wb");
    double most = 0.0;
    if (!file)
        return 1;
    for (int i = 0; i < n * n; i++)
        most = plane[i] > most ? plane[i] : most;
    fprintf(file, "P5 %d %d 255\n", n, n);
    for (int y = n - 1; y >= 0; y--) /* y upwards */
        for (int x = 0; x < n; x++)
            fputc(plane[y * n + x] > 0.0 ? (int)(255.0 * plane[y * n + x] / most) : 0, file);
    return fclose(file) != 0;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 31, steps = argc > 2 ? atoi(argv[2]) : 100;
    const double dt = argc > 3 ? atof(argv[3]) : 1e-3;
    struct cgsolve *solver = NULL;
    int64_t unknowns = 0;
    double *u = NULL;
    enum cgsolve_status status = cgsolve_create(&solver);
    if (status == CGSOLVE_OK && (status = ask_for_box(solver, n, dt)) == CGSOLVE_OK &&
        (status = cgsolve_unknowns(solver, &unknowns)) == CGSOLVE_OK) {
        u = calloc((size_t)unknowns, sizeof *u);
        status = u ? march(solver, unknowns, steps, dt, u) : CGSOLVE_MEMORY;
    }
    if (status != CGSOLVE_OK)
        fprintf(stderr, "%s\n", unknowns > 0 && !u ? "no memory" : cgsolve_message());
    else if (draw(n, u + (unknowns / n / n / 2) * n * n) != 0) {
        perror("heat.pgm");
        status = CGSOLVE_INPUT;
    }
    free(u);
    cgsolve_destroy(&solver);
    return status;
}
