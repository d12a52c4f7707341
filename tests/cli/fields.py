"""fields.py NAME[=IxJxK:XxYxZ[:EXPRESSION]]...: reads the files NAME.vti, .vtu, .npy, .csv that `cgsolve --output` has written of
one solve in the box, as far as they are there, and compares them, also with the report NAME.json: with Python alone, then by NumPy and VTK where these
are there. One line a check, "ok WHAT" or "FAILED WHAT: ...". With cells and lengths in x, y and z it is told what box to expect, whose
problem is `smooth`, or one's own whose exact solution is EXPRESSION, linear in x, y, z; without, it is the unit cube with as
many cells in each direction. NAME=IxJxK:XxYxZ:order=P has cells of order P."""

import ast
import csv
import json
import math
import os
import re
import struct
import sys


def check(what, fine, detail=""):
    print(f"ok      {what}" if fine else f"FAILED  {what}: {detail}")


def near(a, b):
    return len(a) == len(b) and all(math.isclose(x, y, rel_tol=1e-12, abs_tol=1e-13) for x, y in zip(a, b))


def read_npy(path):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x93NUMPY\x01\x00"
    length = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    assert (10 + length) % 64 == 0 and not header["fortran_order"]
    order = header["descr"][0]
    return header["shape"], struct.unpack(f"{order}{(len(data) - 10 - length) // 8}d", data[10 + length:])


def read_csv(path):
    with open(path, newline="", encoding="ascii") as file:
        rows = list(csv.reader(file))
    return {name: [float(row[i]) for row in rows[1:]] for i, name in enumerate(rows[0])}


def read_vtk(path):
    """The arrays of an XML file of VTK, and the text before them."""
    with open(path, "rb") as file:
        data = file.read()
    begin = data.index(b'<AppendedData encoding="raw">\n_') + len(b'<AppendedData encoding="raw">\n_')
    head = data[:begin].decode()
    order = "<" if 'byte_order="LittleEndian"' in head else ">"
    arrays = {}
    for type_, name, offset in re.findall(r'<DataArray type="(\w+)" Name="(\w+)" (?:NumberOfComponents="3" )?'
                                          r'format="appended" offset="(\d+)"/>', head):
        at = begin + int(offset)
        size = struct.unpack(order + "Q", data[at:at + 8])[0]
        code = {"Float64": "d", "Int64": "q", "Int32": "i", "UInt8": "B"}[type_]
        count = size // struct.calcsize(code)
        arrays[name] = struct.unpack(f"{order}{count}{code}", data[at + 8:at + 8 + size])
        end = at + 8 + size
    assert data[end:] == b"\n  </AppendedData>\n</VTKFile>\n", data[end:end + 60]
    return head, arrays


def volume(points, nodes):
    """Of a hexahedron's corner at its first node: positive where it is not turned inside out."""
    p = [points[3 * n:3 * n + 3] for n in nodes]
    a, b, c = ([p[i][k] - p[0][k] for k in range(3)] for i in (1, 3, 4))
    return (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
            a[2] * (b[0] * c[1] - b[1] * c[0]))


def smooth(t):
    """The exact solution of the problem `smooth`, in coordinates of the unit cube."""
    return math.prod(t[k - 1] * (1 - t[k - 1]) * math.exp(k * t[k - 1]) for k in (1, 2, 3))


def text_of(head, fact):
    """A fact that is a text, of the processing instruction of a VTK file; None if it is not there."""
    found = re.search(rf"^  {fact}: (.*(?:\n    .*)*)", head[head.index("<?cgsolve\n"):head.index("?>\n  <")], re.M)
    return found[1].replace("\n    ", "\n") if found else None


def check_cells(name, arrays, cells, linear):
    """kappa is positive; the flux of a linear solution is -kappa times its gradient, in each cell."""
    kappa, flux = arrays["kappa"], arrays["flux"]
    check(f"{name}: kappa and flux of all cells", len(kappa) == cells and len(flux) == 3 * cells and min(kappa) > 0)
    if not linear:
        return
    slope = [eval(linear, {}, dict(zip("xyz", at))) - eval(linear, {}, dict.fromkeys("xyz", 0))
             for at in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    far = max(abs(q + kappa[i // 3] * slope[i % 3]) for i, q in enumerate(flux))
    check(f"{name}: the flux is that of {linear}", far < 1e-8, far)


def check_box(name, table, nodes, lengths, linear):
    """Points of an undeformed box, x fastest, and the solution of `smooth` at them, or that of one's own problem, which
    trilinear elements have without an error."""
    at = [(ix / (nodes[0] - 1), iy / (nodes[1] - 1), iz / (nodes[2] - 1))
          for iz in range(nodes[2]) for iy in range(nodes[1]) for ix in range(nodes[0])]
    for k, axis in enumerate("xyz"):
        check(f"{name}.csv: {axis} in true coordinates", near(table[axis], [lengths[k] * t[k] for t in at]))
    if linear:
        exact = [eval(linear, {}, {axis: lengths[k] * t[k] for k, axis in enumerate("xyz")}) for t in at]
        far = max(abs(u - v) for u, v in zip(table["solution"], exact))
        check(f"{name}.csv: the solution is {linear}", len(exact) == len(table["solution"]) and far < 1e-9, far)
        check(f"{name}.csv: the error is 0", max(abs(error) for error in table["error"]) < 1e-9)
        return
    exact = [u - error for u, error in zip(table["solution"], table["error"])]
    check(f"{name}.csv: solution less error is u", near(exact, [smooth(t) for t in at]))
    most = max(abs(error) for error in table["error"])
    check(f"{name}.csv: the error is small", 0 < most < 0.5 * max(table["solution"]), most)


def length_of(vector):
    return math.sqrt(math.fsum(x * x for x in vector))


def exact_at(problem, point):
    """The exact solution of a problem of the program's, in coordinates of the unit cube."""
    if problem == "boundary":
        return math.exp(point[0]) * math.cos(2 * point[1]) + point[2] ** 2
    return smooth(point)


def check_report(name, head, arrays, table, ends):
    """Norms of error and residual are those of the report; a deformed cube's nodes are where they should be, and solution less
    error is u there."""
    with open(f"{name}.json", encoding="utf-8") as file:
        report = json.load(file)
    problem = report["problem"]
    reference = float(re.search(r'Name="residual_reference"[^>]*>([^<]*)<', head)[1])
    residual, expected = length_of(arrays["residual"]) / reference, report["solver"]["true_relative_residual"]
    check(f"{name}: the residual's norm is the report's", math.isclose(residual, expected, rel_tol=1e-11), (residual, expected))
    if "error" not in arrays:
        return
    errors = report["error"]
    cell = math.prod(max(table[axis]) / ends[k] for k, axis in enumerate("xyz"))
    nodal = math.sqrt(cell) * length_of(arrays["error"])
    check(f"{name}: the error's L2 norm is the report's", math.isclose(nodal, errors["nodal_l2"], rel_tol=1e-11,
                                                                      abs_tol=1e-15), (nodal, errors))
    most = max(abs(error) for error in arrays["error"])
    check(f"{name}: its maximum, too", math.isclose(most, errors["max"], rel_tol=1e-11, abs_tol=1e-15), (most, errors))
    if "deform" not in problem or "size" in problem:
        return
    side = problem["N"] + 1
    at = [(i / side, j / side, k / side) for k in range(side + 1) for j in range(side + 1) for i in range(side + 1)]
    moved = [[x + problem["deform"] * math.prod(math.sin(math.pi * t) for t in point) for x in point] for point in at]
    check(f"{name}: the nodes move together", all(near(table[axis], [p[k] for p in moved]) for k, axis in enumerate("xyz")))
    u = [u - error for u, error in zip(arrays["solution"], arrays["error"])]
    check(f"{name}: solution less error is u", near(u, [exact_at(problem["name"], p) for p in moved]))


def compare(name, cells=None, lengths=None, linear=None):
    there = {ending: os.path.exists(f"{name}.{ending}") for ending in ("vti", "vtu", "npy", "csv")}
    table = read_csv(f"{name}.csv")
    nodes = [cell + 1 for cell in cells] if cells else [round(len(table["x"]) ** (1 / 3))] * 3
    ends = [node - 1 for node in nodes]
    fields = [key for key in table if key not in "xyz"]
    shape, solution = read_npy(f"{name}.npy")
    check(f"{name}.npy has the shape of the nodes", shape == tuple(reversed(nodes)), shape)
    check(f"{name}.npy and .csv agree", near(solution, table["solution"]))
    check(f"{name}.csv: x runs first", table["x"][:nodes[0]] == sorted(set(table["x"][:nodes[0]])))
    if cells:
        check_box(name, table, nodes, lengths, linear)
    if there["vti"]:
        head, arrays = read_vtk(f"{name}.vti")
        check(f"{name}.vti: extents", f'Extent="0 {ends[0]} 0 {ends[1]} 0 {ends[2]}"' in head and
              f'WholeExtent="0 {ends[0]} 0 {ends[1]} 0 {ends[2]}"' in head, head[:300])
        spacing = [float(h) for h in re.search(r' Spacing="([^"]*)"', head)[1].split()]
        check(f"{name}.vti: spacing", near(spacing, [(lengths or [1, 1, 1])[k] / ends[k] for k in range(3)]), spacing)
        check(f"{name}.vti has the fields", sorted(arrays) == sorted(fields + ["flux", "kappa"]), sorted(arrays))
        check_cells(f"{name}.vti", arrays, math.prod(ends), linear)
        check(f"{name}.vti and .csv agree", all(near(arrays[field], table[field]) for field in fields))
    head, arrays = read_vtk(f"{name}.vtu")
    points, hexahedra = arrays["Points"], arrays["connectivity"]
    check(f"{name}.vtu and .csv agree", all(near(arrays[field], table[field]) for field in fields))
    check(f"{name}.vtu: points", near(points[0::3], table["x"]) and near(points[1::3], table["y"]) and
          near(points[2::3], table["z"]))
    check(f"{name}.vtu: hexahedra", set(arrays["types"]) == {12} and len(hexahedra) == 8 * math.prod(ends) and
          list(arrays["offsets"]) == list(range(8, len(hexahedra) + 1, 8)))
    check(f"{name}.vtu: none is turned inside out",
          all(volume(points, hexahedra[k:k + 8]) > 0 for k in range(0, len(hexahedra), 8)))
    check_cells(f"{name}.vtu", arrays, math.prod(ends), linear)
    if cells:
        whole = sum(volume(points, hexahedra[k:k + 8]) for k in range(0, len(hexahedra), 8))
        check(f"{name}.vtu: they fill the box", math.isclose(whole, math.prod(lengths), rel_tol=1e-12), whole)
        check(f"{name}.vtu: cells and size are told, and N only of equal cells", text_of(head, "cells") and
              text_of(head, "size") and ('Name="N"' in head) == (len(set(cells)) == 1), head)
    if linear:
        check(f"{name}.vtu: the exact solution and the faces are told", text_of(head, "exact") == linear and
              re.fullmatch(r"[xyz][01]:.+(\n[xyz][01]:.+)*", text_of(head, "face") or ""), text_of(head, "face"))
    check_report(name, head, arrays, table, ends)
    check(f"{name}.vtu says what it is of", re.search(r'Name="iterations"[^>]*>\d+<', head) and
          text_of(head, "command").startswith("cgsolve"))
    return table, fields


def vtk_place(p, i, j, k):
    """Where a Lagrange hexahedron of order p has its point (i, j, k) in a file of version 1.0: as VTK's
    vtkHigherOrderHexahedron::PointIndexFromIJK says, except for the order of the edges in z, which version 2.1 changed."""
    ends = [c in (0, p) for c in (i, j, k)]
    m = p - 1
    corner = (2 if j else 1) if i else (3 if j else 0)
    if sum(ends) == 3:
        return corner + (4 if k else 0)
    if sum(ends) == 2:
        if not ends[0]:
            return 8 + i - 1 + (2 * m if j else 0) + (4 * m if k else 0)
        if not ends[1]:
            return 8 + j - 1 + (m if i else 3 * m) + (4 * m if k else 0)
        return 8 + 8 * m + k - 1 + m * (2 * bool(j) + bool(i))
    at = 8 + 12 * m
    if sum(ends) == 1:
        if ends[0]:
            return at + j - 1 + m * (k - 1) + (m * m if i else 0)
        if ends[1]:
            return at + 2 * m * m + i - 1 + m * (k - 1) + (m * m if j else 0)
        return at + 4 * m * m + i - 1 + m * (j - 1) + (m * m if k else 0)
    return at + 6 * m * m + i - 1 + m * (j - 1 + m * (k - 1))


def polynomials(p, t):
    """Those of p + 1 equally spaced nodes in [0, p], and their derivatives, at t."""
    value = [math.prod((t - b) / (a - b) for b in range(p + 1) if b != a) for a in range(p + 1)]
    slope = [sum(math.prod((t - b) / (a - b) for b in range(p + 1) if b not in (a, c)) / (a - c)
                 for c in range(p + 1) if c != a) for a in range(p + 1)]
    return value, slope


def u_of_cell(p, u, t):
    """The polynomial with the values u of VTK's points, and its gradient, at t in [0, p]^3."""
    line = [polynomials(p, x) for x in t]
    sums = [0.0] * 4
    for k in range(p + 1):
        for j in range(p + 1):
            for i in range(p + 1):
                node = u[vtk_place(p, i, j, k)]
                for d in range(4):
                    sums[d] += node * math.prod(line[a][d == a + 1][c] for a, c in enumerate((i, j, k)))
    return sums[0], sums[1:]


def compare_order(name, p, cells, lengths):
    """Files of cells of order p: Lagrange hexahedra whose polynomials have the values of the report's probes."""
    table = read_csv(f"{name}.csv")
    fields = [key for key in table if key not in "xyz"]
    nodes = [p * cell + 1 for cell in cells]
    shape, solution = read_npy(f"{name}.npy")
    check(f"{name}.npy and .csv agree", shape == tuple(reversed(nodes)) and near(solution, table["solution"]), shape)
    head, image = read_vtk(f"{name}.vti")
    check(f"{name}.vti and .csv agree", all(near(image[field], table[field]) for field in fields))
    check(f"{name}.vti has cells between the points", len(image["flux"]) == 3 * math.prod(p * c for c in cells), head[:300])
    head, arrays = read_vtk(f"{name}.vtu")
    check(f"{name}.vtu and .csv agree", all(near(arrays[field], table[field]) for field in fields))
    points, count = arrays["Points"], (p + 1)**3
    check(f"{name}.vtu and .csv: points", all(near(points[k::3], table[axis]) for k, axis in enumerate("xyz")))
    check(f"{name}.vtu: Lagrange hexahedra", set(arrays["types"]) == {72} and len(arrays["connectivity"]) ==
          count * math.prod(cells) and list(arrays["offsets"]) == list(range(count, count * math.prod(cells) + 1, count)))
    check(f"{name}.vtu: the version of this order of points, and the order of cells", ' type="UnstructuredGrid" version="1.0"' in head and
          re.search(rf'Name="order"[^>]*>{p}<', head), head[:300])
    h = [lengths[k] / cells[k] for k in range(3)]
    numbers = [arrays["connectivity"][c * count:(c + 1) * count] for c in range(math.prod(cells))]
    place = [(c % cells[0], c // cells[0] % cells[1], c // (cells[0] * cells[1])) for c in range(len(numbers))]
    check(f"{name}.vtu: points in VTK's order", all(
        near([points[3 * numbers[c][vtk_place(p, *at)] + k] for k in range(3)],
             [h[k] * (place[c][k] + at[k] / p) for k in range(3)])
        for c in range(len(numbers)) for at in [(i, j, k) for i in range(p + 1) for j in range(p + 1) for k in range(p + 1)]))
    u = [[arrays["solution"][node] for node in cell] for cell in numbers]
    flux = [-g / h[i % 3] * p for c in u for i, g in enumerate(u_of_cell(p, c, [p / 2] * 3)[1])]
    far = max(abs(a - b) for a, b in zip(flux, arrays["flux"]))
    check(f"{name}.vtu: the flux is that of the polynomial", far < 1e-12, far)
    last, whole = image["flux"][-3:], [-g / h[i] * p for i, g in enumerate(u_of_cell(p, u[-1], [p - 0.5] * 3)[1])]
    check(f"{name}.vti: the flux is that of the polynomial", max(abs(a - b) for a, b in zip(last, whole)) < 1e-12, last)
    with open(f"{name}.json", encoding="utf-8") as file:
        probes = json.load(file)["probes"]
    for probe in probes:
        at = [min(int(x / h[k]), cells[k] - 1) for k, x in enumerate(probe["at"])]
        value, gradient = u_of_cell(p, u[(at[2] * cells[1] + at[1]) * cells[0] + at[0]],
                                    [p * (x / h[k] - at[k]) for k, x in enumerate(probe["at"])])
        check(f"{name}.vtu has u and its gradient at {probe['at']}", abs(value - probe["value"]) < 1e-12 and all(
            abs(g / h[k] * p - probe["gradient"][k]) < 1e-11 for k, g in enumerate(gradient)), (value, probe))
    return table, fields


def by_numpy(name, table):
    import numpy
    u = numpy.load(f"{name}.npy")
    rows = numpy.genfromtxt(f"{name}.csv", delimiter=",", names=True)
    check(f"{name} by NumPy", numpy.array_equal(u.reshape(-1), rows["solution"]) and
          numpy.array_equal(u.reshape(-1), table["solution"]))


def by_vtk(name, table, fields):
    import vtk
    readers = {"vti": vtk.vtkXMLImageDataReader, "vtu": vtk.vtkXMLUnstructuredGridReader}
    for ending, reader_of in readers.items():
        if not os.path.exists(f"{name}.{ending}"):
            continue
        reader = reader_of()
        reader.SetFileName(f"{name}.{ending}")
        reader.Update()
        data = reader.GetOutput()
        count = data.GetNumberOfPoints()
        check(f"{name}.{ending} by VTK {vtk.vtkVersion.GetVTKVersion()}: points", count == len(table["x"]), count)
        same = all(near([data.GetPointData().GetArray(field).GetValue(i) for i in range(count)], table[field])
                   for field in fields)
        check(f"{name}.{ending} by VTK: fields", same)
        places = [data.GetPoint(i) for i in range(count)]
        check(f"{name}.{ending} by VTK: places", near([p[0] for p in places], table["x"]) and
              near([p[1] for p in places], table["y"]) and near([p[2] for p in places], table["z"]))
        facts, cells = data.GetFieldData(), data.GetCellData()
        check(f"{name}.{ending} by VTK: facts", facts.GetArray("iterations").GetValue(0) > 0)
        if facts.GetArray("N"):
            check(f"{name}.{ending} by VTK: N", facts.GetArray("N").GetValue(0) == round(count**(1 / 3)) - 2)
        check(f"{name}.{ending} by VTK: kappa and flux", cells.GetArray("kappa").GetNumberOfTuples() ==
              cells.GetArray("flux").GetNumberOfTuples() == data.GetNumberOfCells())


def probes_by_vtk(name):
    """VTK's own polynomials have u of the report's probes."""
    import vtk
    reader, points, grid, source = vtk.vtkXMLUnstructuredGridReader(), vtk.vtkPoints(), vtk.vtkPolyData(), vtk.vtkProbeFilter()
    reader.SetFileName(f"{name}.vtu")
    points.SetDataTypeToDouble()
    with open(f"{name}.json", encoding="utf-8") as file:
        probes = json.load(file)["probes"]
    for probe in probes:
        points.InsertNextPoint(*probe["at"])
    grid.SetPoints(points)
    source.SetInputData(grid)
    source.SetSourceConnection(reader.GetOutputPort())
    source.Update()
    values = source.GetOutput().GetPointData().GetArray("solution")
    check(f"{name}.vtu by VTK: u at the probes", near([values.GetValue(i) for i in range(len(probes))],
                                                     [probe["value"] for probe in probes]))


def by_meshio(name, table, fields):
    import meshio
    mesh = meshio.read(f"{name}.vtu")
    check(f"{name}.vtu by meshio", all(near(mesh.point_data[field].tolist(), table[field]) for field in fields) and
          near(mesh.points[:, 0].tolist(), table["x"]) and "hexahedron" in mesh.cells[0].type.lower() and
          mesh.cell_data["flux"][0].shape == (len(mesh.cells[0].data), 3) and "kappa" in mesh.cell_data)


def main():
    for argument in sys.argv[1:]:
        name, _, box = argument.partition("=")
        cells, lengths, linear = (box.split(":") + [None, None])[:3]
        cells = [int(c) for c in cells.split("x")] if box else None
        lengths = [float(length) for length in lengths.split("x")] if box else None
        order = int(linear[6:]) if linear and linear.startswith("order=") else 1
        table, fields = compare_order(name, order, cells, lengths) if order > 1 else compare(name, cells, lengths, linear)
        for package, call in (("numpy", lambda: by_numpy(name, table)),
                              ("vtk", lambda: (by_vtk(name, table, fields), order > 1 and probes_by_vtk(name))),
                              ("meshio", lambda: by_meshio(name, table, fields))):
            try:
                __import__(package)
            except ImportError:
                print(f"skipped: {name} by {package}, which is not here")
                continue
            call()


if __name__ == "__main__":
    main()
