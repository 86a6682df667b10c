"""pyPBD, told what to step on its input; each line asks for some steps and is answered with the time of each."""
import json
import sys
import time

import numpy as np
import pypbd as pbd

pbd.Logger.addConsoleSink(pbd.LogLevel.ERR)
body = json.loads(sys.stdin.readline())
simulation = pbd.Simulation.getCurrent()
simulation.initDefault()
model = simulation.getModel()
points = np.array(body["points"], dtype=np.float64)
if body["tets"]:
    tets = np.array(body["tets"], dtype=np.uint32)
    model.addTetModel(points, tets.flatten(), testMesh=False)
    for tet in tets:
        model.addFEMTetConstraint(*[int(i) for i in tet], body["stiffness"], body["poisson"])
else:
    model.addTriangleModel(points, np.array(body["triangles"], dtype=np.uint32).flatten(), testMesh=False)
    for a, b in body["pairs"]:
        model.addDistanceConstraint_XPBD(a, b, body["stiffness"])
particles = model.getParticles()
for i, mass in enumerate(body["masses"]):
    particles.setMass(i, mass)
step = simulation.getTimeStep()
step.setValueUInt(pbd.TimeStepController.NUM_SUB_STEPS, body["substeps"])
step.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS, 1)
pbd.TimeManager.getCurrent().setTimeStepSize(body["step"])
print(json.dumps({"constraints": len(model.getConstraints())}), flush=True)
for line in sys.stdin:
    seconds = []
    for _ in range(int(line)):
        begin = time.perf_counter()
        step.step(model)
        seconds.append(time.perf_counter() - begin)
    lowest = min(particles.getPosition(i)[1] for i in range(0, len(points), 97))
    print(json.dumps({"seconds": seconds, "lowest": lowest}), flush=True)
