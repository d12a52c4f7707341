"""Heat in a box by cgsolve: implicit steps in time with one set-up, and a picture at the end.

    du/dt = div(grad u) + f,   u = 0 at the start and on four faces, nothing through the others

A step of backward Euler solves -div(grad u) + u / dt = f + u_before / dt: a problem of the box with the reaction 1 / dt,
of which `step` makes a step.

    python3 heat.py [N [STEPS [DT]]]     writes heat.pgm, the plane z = 1/2
"""

import sys
import time

import numpy

import cgsolve

n, steps, dt = [type_(text) for type_, text in zip((int, int, float), sys.argv[1:] + ["31", "100", "1e-3"][len(sys.argv) - 1:])]

solver = cgsolve.box(n, source="hypot(x-0.3,y-0.4) < 0.15 ? 100 : 0", face=["z0:flux", "z1:flux"], reaction=1 / dt,
                     format="none", precond="fdm", tol=1e-8)
solver.setup()
u = numpy.zeros((n + 2, n, n))  # z, y, x: the nodes on z = 0 and z = 1 are unknowns, too
since, solving = time.perf_counter(), 0.0
for k in range(1, steps + 1):
    solver.step(u, out=u)
    solving += solver.result.solve_seconds
    if k % -(-steps // 5) == 0:
        print(f"t = {k * dt:<6g} u in the middle {u.flat[u.size // 2]:.6f}, {solver.result.iterations} iterations")
print(f"{u.size} unknowns, {steps} steps, each {1e3 * (time.perf_counter() - since) / steps:.3f} ms; "
      f"of these {1e3 * solving / steps:.3f} in iterations")

plane = u[(n + 2) // 2, ::-1]  # y upwards, the largest in white
with open("heat.pgm", "wb") as file:
    file.write(b"P5 %d %d 255\n" % (n, n) + (255 * plane.clip(0) / plane.max()).astype("u1").tobytes())
