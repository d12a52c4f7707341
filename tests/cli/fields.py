"""fields.py NAME...: reads the files NAME.vti, .vtu, .npy, .csv that `cgsolve --output` has written of one solve in the
box, as far as they are there, and compares them: with Python alone, then by NumPy and VTK where these are there. One
line a check, "ok WHAT" or "FAILED WHAT: ..."."""

import ast
import csv
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
    for type_, name, offset in re.findall(r'<DataArray type="(\w+)" Name="(\w+)" NumberOfComponents="\d+" '
                                          r'format="appended" offset="(\d+)"/>', head):
        at = begin + int(offset)
        size = struct.unpack(order + "Q", data[at:at + 8])[0]
        code = {"Float64": "d", "Int64": "q", "UInt8": "B"}[type_]
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


def compare(name):
    there = {ending: os.path.exists(f"{name}.{ending}") for ending in ("vti", "vtu", "npy", "csv")}
    table = read_csv(f"{name}.csv")
    side = round(len(table["x"]) ** (1 / 3))
    fields = [key for key in table if key not in "xyz"]
    shape, solution = read_npy(f"{name}.npy")
    check(f"{name}.npy has (n + 2)^3 numbers", shape == (side, side, side), shape)
    check(f"{name}.npy and .csv agree", near(solution, table["solution"]))
    check(f"{name}.csv: x runs first", table["x"][:side] == sorted(set(table["x"][:side])))
    if there["vti"]:
        head, arrays = read_vtk(f"{name}.vti")
        check(f"{name}.vti: extents", f'WholeExtent="0 {side - 1} 0 {side - 1} 0 {side - 1}"' in head, head[:300])
        check(f"{name}.vti has the fields", sorted(arrays) == sorted(fields), sorted(arrays))
        check(f"{name}.vti and .csv agree", all(near(arrays[field], table[field]) for field in fields))
    head, arrays = read_vtk(f"{name}.vtu")
    points, cells = arrays["Points"], arrays["connectivity"]
    check(f"{name}.vtu and .csv agree", all(near(arrays[field], table[field]) for field in fields))
    check(f"{name}.vtu: points", near(points[0::3], table["x"]) and near(points[1::3], table["y"]) and
          near(points[2::3], table["z"]))
    check(f"{name}.vtu: hexahedra", set(arrays["types"]) == {12} and len(cells) == 8 * (side - 1)**3 and
          list(arrays["offsets"]) == list(range(8, len(cells) + 1, 8)))
    check(f"{name}.vtu: none is turned inside out",
          all(volume(points, cells[k:k + 8]) > 0 for k in range(0, len(cells), 8)))
    check(f"{name}.vtu says what it is of", re.search(r'Name="iterations"[^>]*>\d+<', head) and 'Name="command"' in head)
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
              near([p[2] for p in places], table["z"]))
        facts = data.GetFieldData()
        check(f"{name}.{ending} by VTK: facts", facts.GetArray("N").GetValue(0) == round(count**(1 / 3)) - 2 and
              facts.GetAbstractArray("command").GetValue(0).startswith("cgsolve"))


def main():
    for name in sys.argv[1:]:
        table, fields = compare(name)
        for package, call in (("numpy", lambda: by_numpy(name, table)), ("vtk", lambda: by_vtk(name, table, fields))):
            try:
                __import__(package)
            except ImportError:
                print(f"skipped: {name} by {package}, which is not here")
                continue
            call()


main()
