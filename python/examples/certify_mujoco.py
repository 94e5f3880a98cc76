"""Compare the contact impulses of MuJoCo with Coulomb's law, and compute those of the law.

A quadruped is pushed while it stands. Needs the package with its extra: ``pip install './python[mujoco]'``.
"""

import mujoco
import numpy as np

from percussion.adapters import mujoco as adapter

LEG = """
<body pos="{x} {y} 0"><joint name="{name}_hip" axis="0 1 0" range="-60 60" limited="true" damping="0.1"/>
  <geom type="capsule" fromto="0 0 0 -0.12 0 -0.16" size="0.02" mass="0.6"/>
  <body pos="-0.12 0 -0.16"><joint name="{name}_knee" axis="0 1 0" range="-60 60" limited="true" damping="0.1"/>
    <geom type="capsule" fromto="0 0 0 0.12 0 -0.16" size="0.015" mass="0.2"/>
    <geom name="{name}" type="sphere" pos="0.12 0 -0.16" size="0.02" mass="0.05" friction="0.6"/></body></body>
"""
PLACES = {"front left": (0.2, 0.15), "front right": (0.2, -0.15), "hind left": (-0.2, 0.15), "hind right": (-0.2, -0.15)}
LEGS = "".join(LEG.format(name=name, x=x, y=y) for name, (x, y) in PLACES.items())
JOINTS = [f"{name}_{joint}" for name in PLACES for joint in ("hip", "knee")]
DRIVES = "".join(f'<position joint="{joint}" kp="60" kv="2"/>' for joint in JOINTS)
QUADRUPED = f"""
<mujoco><option timestep="0.002" integrator="implicitfast"/>
<worldbody><geom name="floor" type="plane" size="5 5 1" friction="0.6"/>
<body pos="0 0 0.34"><freejoint/><geom type="box" size="0.22 0.1 0.04" mass="6"/>{LEGS}</body></worldbody>
<actuator>{DRIVES}</actuator></mujoco>
"""

model = mujoco.MjModel.from_xml_string(QUADRUPED)
data = mujoco.MjData(model)
ours, theirs, worst = [], [], ""
for step in range(1000):
    # Pushes it from the side after it has come to rest.
    data.qvel[1] += 0.3 if step == 500 else 0.0
    found = adapter.problem(model, data) if step >= 400 and step % 10 == 0 else None
    if found is not None:
        solution = found.solve(tolerance=1e-9).check()
        ours.append(found.certify(solution.impulses).residual)
        theirs.append(found.certify().residual)
        if theirs[-1] == max(theirs):
            worst = str(found)
    mujoco.mj_step(model, data)

print(f"{len(ours)} contact problems of {model.nv} velocities, residuals in m/s:")
print(f"  percussion  {np.median(ours):.1e} in the median, {max(ours):.1e} at most")
print(f"  MuJoCo      {np.median(theirs):.1e} in the median, {max(theirs):.1e} at most")
print(f"at the worst of them:\n{worst}")
assert len(ours) > 50
assert max(ours) < 1e-8
