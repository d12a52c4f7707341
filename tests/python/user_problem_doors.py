"""user_problem_doors.py PROGRAM SOURCES: each command of SOURCES/doc/own.md, and each file of SOURCES/examples, by the program, by
the functions of libcgsolve, and by cgsolve.py: the same bits, of what the report says of them too, or the same refusal. CGSOLVE_LIBRARY is the library.

Commands run in their order in the current folder, since some write a file that others read. Options of the program
alone (what is drawn or written) are left out, and so are plans; a study counts as the solve of its first values."""

import array
import ctypes
import glob
import json
import os
import re
import shlex
import subprocess
import sys

import cgsolve

program, sources = sys.argv[1:]
OF_PROGRAM = ("slice", "report", "output")
SEEN = ("solution", "materials", "probes", "line")  # keys of the report
library = cgsolve._library
failed = count = 0
if not os.path.exists("examples"):  # commands name files there
    os.symlink(os.path.abspath(os.path.join(sources, "examples")), "examples")


def commands():
    """The words of each command, and the exit status that the document says."""
    with open(os.path.join(sources, "doc", "own.md"), encoding="utf-8") as file:
        for line in file:
            found = re.match(r"(?:    )?cgsolve ((?:study )?[-@].*)", line)
            if found:
                command, _, remark = found[1].partition("  ")
                status = re.search("exit status ([0-9])", remark)
                yield shlex.split(command), int(status[1]) if status else 0
    for name in sorted(glob.glob(os.path.join(sources, "examples", "*.txt"))):
        yield ["@examples/" + os.path.basename(name)], 0


def options_of_file(name):
    with open(os.path.join(sources, name), encoding="utf-8") as file:
        for line in file:
            text = re.sub(r"(^|\s)#.*", "", line).strip()
            if text:
                key, _, value = text.partition("=")
                yield key.strip(), value.strip()


def options_of(words):
    """All options in their order, those of files, too, unless the command line has others; of a list the first value."""
    given = [tuple(word[2:].partition("=")[::2]) for word in words if word.startswith("--")]
    for word in words:
        if word.startswith("@"):
            names = [key for key, _ in given if key not in cgsolve._REPEATED]
            yield from ((key, value) for key, value in options_of_file(word[1:]) if key not in names)
    for key, value in given:
        if key == "line":
            value = re.sub(r"(:[0-9]+),.*", r"\1", value)  # without a file
        yield key, value.split(",")[0] if words[0] == "study" and key == "cells" else value


def words_of(options):
    return [f"--{key}={value}" for key, value in options]


def in_words_of_library(said):
    """What the program says, with settings as the library's caller names them."""
    return re.sub("--([A-Za-z][A-Za-z-]*)", lambda match: match[1].replace("-", "_"), said)


def by_program(options):
    """The status, what was said, x, and the report."""
    done = subprocess.run([program, *words_of(options), "--output=x.mtx", "--json=x.json"], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        return done.returncode, in_words_of_library(done.stderr), None, {}
    with open("x.mtx", encoding="ascii") as file:
        lines = [line for line in file if not line.startswith("%")]
    with open("x.json", encoding="ascii") as file:
        return 0, "", array.array("d", map(float, lines[1:])), json.load(file)


def by_library(options):
    """A call of cgsolve_set for each option."""
    handle, length, x, report = ctypes.c_void_p(), ctypes.c_int64(), None, {}
    status = library.cgsolve_create(ctypes.byref(handle)) or library.cgsolve_matrix_box(handle)
    for key, value in options:
        status = status or library.cgsolve_set(handle, key.encode(), value.encode())
    status = status or library.cgsolve_setup(handle) or library.cgsolve_unknowns(handle, ctypes.byref(length))
    if not status:
        x = array.array("d", bytes(8 * length.value))
        status = library.cgsolve_solve(handle, length, None, x.buffer_info()[0], None)
    said = library.cgsolve_message().decode()
    if not status:
        text = ctypes.c_void_p()
        library.cgsolve_report_json(handle, ctypes.byref(text))
        report = json.loads(ctypes.string_at(text))
        library.cgsolve_free(text)
    library.cgsolve_destroy(ctypes.byref(handle))
    return status, said, None if status else x, report


def by_python(options):
    """The options of one call: lists of those that are given several times."""
    named = {}
    for key, value in options:
        named.setdefault(key.replace("-", "_"), []).append(value)
    try:
        with cgsolve.box(**{key: values if len(values) > 1 else values[0] for key, values in named.items()}) as solver:
            return 0, "", array.array("d", solver.solve()), solver.report
    except cgsolve.Error as error:
        return error.status, str(error), None, {}


def differences(words, expected):
    if any(word.startswith("--output") for word in words):  # for commands that come later
        subprocess.run([program, *words_of(options_of(words))], capture_output=True, check=False)
    options = [(key, value) for key, value in options_of(words) if key not in OF_PROGRAM] + [("backend", "cpu")]
    status, said, x, report = by_program(options)
    if status != expected:
        yield f"status {status} of the program, {expected} in the document: {said}"
    for name, (other, why, y, told) in (("library", by_library(options)), ("Python", by_python(options))):
        if other != status:
            yield f"status {status} of the program, {other} of {name}: {said} {why}"
        elif status and why.splitlines()[0] not in said:
            yield f"{name} says: {why} The program: {said}"
        elif not status and (len(x) != len(y) or x.tobytes() != y.tobytes()):
            yield (f"{len(x)} unknowns of the program, {len(y)} of {name}, largest difference "
                   f"{max((abs(a - b) for a, b in zip(x, y)), default=0.0):.3g} of {max(map(abs, x)):.3g}")
        elif not status and any(report.get(key) != told.get(key) for key in SEEN):
            yield f"the program's report: {[report.get(key) for key in SEEN]}, {name}'s: {[told.get(key) for key in SEEN]}"
    if not status and "solution" not in report:
        yield "the report has no solution"


done = set()
for words, expected in commands():
    key = tuple(word for word in words if not re.match("--(slice|report)", word))
    if "--plan" in words or key in done:
        continue
    done.add(key)
    count += 1
    wrong = list(differences(list(key), expected))
    failed += bool(wrong)
    print("FAIL:" if wrong else "ok:", shlex.join(words), *wrong, sep="\n    " if wrong else " ", flush=True)
table = os.path.join(sources, "core", "options", "options.def")
if os.path.exists(table):
    with open(table, encoding="utf-8") as file:
        repeated = re.findall(r'CGS_OPTION\(\w+, \w+, "([^"]*)", TEXTS,', file.read())
    if sorted(repeated) != sorted(cgsolve._REPEATED):
        print("FAIL: options given several times:", *repeated, "in the table,", *cgsolve._REPEATED, "in cgsolve.py")
        failed += 1
print(f"{count} commands, {failed} differ")
sys.exit(failed > 0 or count < 30)
