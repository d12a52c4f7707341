#!/usr/bin/env python3
"""Writes the Laplacian of a random geometric graph, plus a little of the identity, as a Matrix Market file: rows of
unequal length, in an order that keeps neighbours near, of any size.

    python3 bench/geometric.py N FILE.mtx [ENTRIES [SHIFT]]        13 entries a row, shift 0.001

N random points of the unit cube, two of them joined where they are nearer than r; a row has -1 for each neighbour, and
their number plus SHIFT on the diagonal: symmetric, positive definite. r is such that a row far from the surface has
ENTRIES on average: N 4/3 pi r^3 = ENTRIES - 1. Points are numbered by the cells of a grid of width r, x fastest, so that
parts of consecutive rows are slabs. Needs NumPy and SciPy.
"""
import sys

import numpy
import scipy.io
import scipy.sparse
import scipy.spatial

if not 3 <= len(sys.argv) <= 5:
    sys.exit(__doc__)
rows, path = int(float(sys.argv[1])), sys.argv[2]
entries, shift = [float(word) for word in sys.argv[3:]] + [13.0, 0.001][len(sys.argv) - 3 :]
radius = ((entries - 1) * 3 / (4 * numpy.pi * rows)) ** (1 / 3)
points = numpy.random.default_rng(1).random((rows, 3))
points = points[numpy.lexsort((points / radius).astype(int).T)]
low, high = scipy.spatial.cKDTree(points).query_pairs(radius, output_type="ndarray").T
adjacency = scipy.sparse.coo_array((numpy.ones(len(low)), (high, low)), shape=(rows, rows))
degrees = numpy.asarray(adjacency.sum(axis=0) + adjacency.sum(axis=1)).ravel()
matrix = scipy.sparse.diags(degrees + shift) - adjacency - adjacency.T
scipy.io.mmwrite(path, matrix, f"Laplacian + {shift:g} I of a random geometric graph, radius {radius:.6g}", symmetry="symmetric")
