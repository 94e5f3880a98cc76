"""Looks for attributes of MJCF files that MuJoCo uses and percussion neither uses nor reports.

Models and MuJoCo come from packages of PyPI, as for `compare.py`; `pip install lxml` besides.

    cargo build --release -p percussion-mechanism --example model_digest
    venv/bin/python verify/robots/attributes.py target/release/examples/model_digest FILE|FOLDER...

In each file it changes one attribute at a time, two places for each kind of attribute in each kind of element, until
twenty places of this kind have been tried: numbers grow by a tenth and a little more, words are removed. If the model that MuJoCo compiles changes in anything that concerns
the motion of rigid bodies, then the model that is read here must change too, or a warning, or the file must be refused.
It prints the kinds of attributes that break this rule, with the arrays of MuJoCo that changed, and ends with exit code 1
if there are any.
"""

import collections
import os
import random
import re
import subprocess
import sys

import lxml.etree
import mujoco
import numpy as np

from compare import models

PLACES = 2
# Of each kind of attribute, that many places are tried in all.
MOST = 20
# Arrays about pictures, sensors, names, MuJoCo's solver and its own bookkeeping.
OTHER = re.compile(
    r"^(_sizes|vis|stat|cam|light|mat|tex|skin|flex|hfield|sensor|text|tuple|numeric|name|bvh|oct|plugin|plugin_.*|site_.*"
    r"|.*_(rgba|user|solref|solimp|solreflimit|solimplimit|solreffriction|solimpfriction|margin|gap|group|matid|plugin|lengthrange"
    r"|bvhadr|bvhnum|aabb|rbound|fluid|priority|solmix|dynprm|width)|mesh_.*|n.*|jnt_solref|jnt_solimp|.*adr|signature)$"
)


def compiled(path):
    """The arrays and options of the model that concern the motion of rigid bodies; `None` if MuJoCo refuses it."""
    try:
        model = mujoco.MjModel.from_xml_path(path)
    except ValueError:
        return None
    found = {}
    for name in dir(model):
        value = getattr(model, name, None)
        if isinstance(value, np.ndarray) and not OTHER.match(name.split("_")[0]) and not OTHER.match(name):
            found[name] = value.copy()
    neutral(model, found)
    found["gravity"], found["timestep"] = model.opt.gravity.copy(), np.array(model.opt.timestep)
    return found


def neutral(model, found):
    """Removes numbers that have no effect on the motion: sizes of planes, rests of springs without stiffness, ranges of what is
    not limited, and parameters that multiply zero.
    """
    found["geom_size"][model.geom_type == mujoco.mjtGeom.mjGEOM_PLANE] = 0
    # Of a height field, which is reported, only the place changes.
    for name in ("geom_pos", "geom_quat", "geom_size"):
        found[name][model.geom_type == mujoco.mjtGeom.mjGEOM_HFIELD] = 0
    for k in range(model.njnt):
        if model.jnt_stiffness[k].max() == 0:
            end = model.jnt_qposadr[k + 1] if k + 1 < model.njnt else model.nq
            found["qpos_spring"][model.jnt_qposadr[k]:end] = 0
    ranges = [("jnt_range", "jnt_limited"), ("jnt_actfrcrange", "jnt_actfrclimited"), ("tendon_range", "tendon_limited"),
              ("actuator_forcerange", "actuator_forcelimited"), ("actuator_ctrlrange", "actuator_ctrllimited"),
              ("actuator_actrange", "actuator_actlimited"), ("tendon_actfrcrange", "tendon_actfrclimited")]
    for values, limited in ranges:
        if values in found and limited in found:
            found[values][np.asarray(found[limited]) == 0] = 0
    disabled = mujoco.mjtDisableBit
    if model.opt.disableflags & (disabled.mjDSBL_LIMIT | disabled.mjDSBL_CONSTRAINT):
        for name in ("jnt_limited", "jnt_range", "tendon_limited", "tendon_range"):
            found[name][:] = 0
    # Tendons through space are reported as a whole.
    space = [k for k in range(model.ntendon) if model.wrap_type[model.tendon_adr[k]] != mujoco.mjtWrap.mjWRAP_JOINT]
    for name in [name for name in found if name.startswith("tendon_")]:
        found[name][space] = 0
    found["actuator_biastype"][np.abs(model.actuator_biasprm).max(axis=1, initial=0) == 0] = 0


def differences(one, other):
    return [name for name in one if one[name].shape != other[name].shape or not np.array_equal(one[name], other[name])]


def changed(value):
    """A value that means something else, or `None` for an attribute to remove."""
    words = value.split()
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        return None
    return " ".join(repr(1.1 * number + 0.003) for number in numbers)


def digests(program, paths):
    run = subprocess.run([program, *paths], capture_output=True, text=True)
    lines = run.stdout.splitlines()
    if run.returncode != 0 or len(lines) != len(paths):
        raise RuntimeError(run.stderr[-300:])
    return [line.split() for line in lines]


def place(element):
    return f"{element.tag}:{element.sourceline}"


def users(tree, element):
    """The places of the elements that take their attributes from this one, which is of a class; none if it is of no class."""
    inner = element.getparent()
    if inner is None or inner.tag != "default":
        return set()
    classes = {one.get("class") for one in inner.iter("default")}
    named = (one for one in tree.iter(element.tag) if one.get("class") in classes and one.getparent().tag != "default")
    return {place(one) for one in named}


def trials(path, chance, kinds):
    """Changed copies of the file: kind of attribute, the elements around it and those that use it, value and text."""
    tree = lxml.etree.parse(path, lxml.etree.XMLParser(remove_comments=True))
    places = collections.defaultdict(list)
    for element in tree.iter():
        for name in element.attrib:
            places[element.tag, name].append(element)
    for (tag, name), elements in sorted(places.items()):
        if sum(map(len, kinds[tag, name].values())) >= MOST:
            continue
        for element in chance.sample(elements, min(PLACES, len(elements))):
            value = element.attrib[name]
            new = changed(value)
            if new is None:
                del element.attrib[name]
            else:
                element.attrib[name] = new
            around = {place(one) for one in [element, *element.iterancestors()]}
            yield (tag, name), (around, users(tree, element)), value, lxml.etree.tostring(tree)
            element.attrib[name] = value


def probe(program, path, chance, kinds):
    folder = os.path.dirname(path)
    original = compiled(path)
    written, cases = [], []
    try:
        for number, (kind, places, value, text) in enumerate(trials(path, chance, kinds)):
            file = os.path.join(folder, f".percussion-{os.getpid()}-{number}.xml")
            with open(file, "wb") as out:
                out.write(text)
            written.append(file)
            new = compiled(file)
            if new is not None:
                cases.append((kind, places, value, file, differences(original, new)))
        [first, *rest] = digests(program, [path] + [case[3] for case in cases])
        if first[0] == "refused":
            print(f"refused {path}: {' '.join(first[1:])}")
            return
        for (kind, (around, by), value, _, arrays), digest in zip(cases, rest):
            ignored = set(first[2:])
            seen = digest[:2] != first[:2] or not around.isdisjoint(ignored) or bool(by) and by <= ignored
            word = "seen" if seen else "silent" if arrays else "idle"
            kinds[kind][word].append((path, value, arrays))
    finally:
        for file in written:
            os.remove(file)


def main():
    program, *places = sys.argv[1:]
    mujoco.set_mju_user_warning(lambda message: None)
    chance, kinds = random.Random(7), collections.defaultdict(lambda: collections.defaultdict(list))
    paths = [file for place in places for file in models(place) if file.endswith(".xml")]
    for path in paths:
        try:
            probe(program, path, chance, kinds)
        except lxml.etree.XMLSyntaxError as error:
            print(f"skipped {path}, which is no XML: {error}")
    count = collections.Counter()
    for (tag, name), found in sorted(kinds.items()):
        count.update({word: len(cases) for word, cases in found.items()})
        if found["silent"]:
            print(f"SILENT {tag} {name}: {len(found['silent'])} of {sum(map(len, found.values()))}")
            for path, value, arrays in found["silent"]:
                print(f"    `{value}` in {path} changes {', '.join(arrays[:6])}")
    print(f"{len(paths)} files, {len(kinds)} kinds of attributes: {dict(count)}")
    sys.exit(bool(count["silent"]))


if __name__ == "__main__":
    main()
