"""Your own robot: its contacts where it stands, the result of an impact, and its fall."""

from pathlib import Path

import numpy as np

import percussion as pc

ROBOTS = Path(__file__).parents[2] / "crates/mechanism/fixtures/robots"

# Joints of this robot have friction, for which the scheme of Stewart and Trinkle has a rule.
robot = pc.Model.from_file(ROBOTS / "quadruped.urdf", scheme="stewart-trinkle", friction=0.7)
print(robot, f"of {robot.mass:.2f} kg")
print(f"{len(robot.warnings)} warnings, the first: {robot.warnings[0]}")

feet = robot.contacts()
print("touching:", ", ".join(feet.names))

# It lands at 1 m/s: laws without restitution, with all feet at once and one after another.
falling = np.zeros(len(robot.velocity))
falling[2] = -1.0
impact = robot.impact(velocity=falling)
for law in ("anitescu-potra", "sequential"):
    outcome = impact.resolve(law).check()
    print(f"{law}: {outcome.impulses[:, 0].sum():.3f} N·s in all, {outcome.certificate.energy_change:.3f} J")
    assert outcome.certificate.energy_change < 0.0

# No torque holds its joints, so it collapses.
simulation = pc.Simulation(robot, step_size=0.002)
for report in simulation.run(0.1):
    assert report.status == "solved"
    assert report.penetration < 1e-6
lost = robot.energy()[1] - simulation.energy
print(f"after {simulation.time:.2f} s it has lost {lost:.3f} J and touches with {', '.join(simulation.contact_names[-4:])}")
assert lost > 0.0
