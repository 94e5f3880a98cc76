"""A block that slides, an impact by all laws, and a linear complementarity problem."""

import numpy as np

import percussion as pc

# A block of 2 kg at 3 m/s, pressed to the floor with 4 N·s: friction of 0.5 takes 2 N·s and leaves 2 m/s.
block = pc.FrictionProblem(0.5 * np.eye(3), free_velocity=[-2.0, 3.0, 0.0], friction=[0.5])
solution = block.solve().check()
print("impulses (N·s)  ", solution.impulses)
print("velocities (m/s)", solution.velocities)
assert solution.velocities.tolist() == [[0.0, 2.0, 0.0]]

# An answer from elsewhere: friction of 1 N·s is too little for a contact that slides.
print(block.certify([[4.0, -1.0, 0.0]]))

# A ball that slides at 1 m/s while it falls at 2 m/s, with e = 1/2. It leaves rolling; sticking removes 2/7 of the sliding velocity.
floor = pc.Contact([0.0, 1.0, 0.0], [[1.0, 0.0, 1.0]], friction=0.5, restitution=0.5)
ball = pc.Impact(np.diag([1.0, 1.0, 0.4]), [1.0, -2.0, 0.0], [floor])
print(ball.compare())
assert np.allclose(ball.resolve("poisson").velocity, [5 / 7, 1.0, -5 / 7])

# z ≥ 0 with w = M z + q ≥ 0 and z · w = 0.
assert np.allclose(pc.solve_lcp([[2.0, -1.0], [-1.0, 1.0]], [-1.0, 0.0]).check().z, [1.0, 1.0])
