"""Writes and reads meshes with meshio: a JSON object a line in, one a line out. Only reading itself is timed."""
import json
import os
import sys
import time

# What meshio prints is not an answer.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def answer(**values):
    answers.write(json.dumps(values) + "\n")
    answers.flush()


import meshio

answer(version=meshio.__version__)
for line in sys.stdin:
    request = json.loads(line)
    try:
        if "write" in request:
            mesh = meshio.read(request["read"])
            mesh = meshio.Mesh(mesh.points, [("tetra", mesh.cells_dict["tetra"])])
            meshio.write(request["write"], mesh, **request["options"])
            answer()
        else:
            start = time.perf_counter()
            mesh = meshio.read(request["read"])
            seconds = time.perf_counter() - start
            answer(seconds=seconds, points=len(mesh.points), tets=len(mesh.cells_dict["tetra"]))
            del mesh
    except Exception as error:
        answer(error=f"{type(error).__name__}: {error}")
