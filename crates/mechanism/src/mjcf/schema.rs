//! The elements of MJCF with their attributes: which are used, and why others have no effect.

/// What is known of an element.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) name: &'static str,
    /// Attributes that are read.
    pub(super) used: &'static [&'static str],
    /// Attributes without effect, by reason.
    pub(super) unused: &'static [(&'static [&'static str], &'static str)],
    /// Elements that are looked into.
    pub(super) children: &'static [&'static str],
}

const PICTURE: &str = "pictures have no effect on the motion";
const SOFT: &str = "contacts, limits and constraints are rigid, so that softness has no meaning";
const NAMES: &str = "it names or groups things for other programs";
const ACTUATOR: &str = "actuators are not modeled, and the motion is without them";
const TENDON: &str = "tendons are not modeled, and the motion is without them";
const SENSOR: &str = "sensors have no effect on the motion";
const FLUID: &str = "fluids are not modeled, and the motion is without them";
const SOLVER: &str = "it is a setting of MuJoCo's solver; the scheme has its own";
const COMPILER: &str = "it changes nothing of the motion";
const PLUGIN: &str = "plugins of MuJoCo are not run";
const FEELER: &str = "contacts begin where surfaces touch";

/// Elements that are passed over with everything in them, and why.
pub(super) const IGNORED: &[(&str, &str)] = &[
    ("visual", PICTURE),
    ("statistic", PICTURE),
    ("size", "memory is taken as needed"),
    ("custom", NAMES),
    ("actuator", ACTUATOR),
    ("tendon", TENDON),
    ("sensor", SENSOR),
    ("camera", PICTURE),
    ("light", PICTURE),
    ("texture", PICTURE),
    ("material", PICTURE),
    ("skin", PICTURE),
    ("hfield", "height fields do not touch anything here"),
    ("extension", PLUGIN),
    ("plugin", PLUGIN),
    ("deformable", "bodies are rigid"),
    ("flex", "bodies are rigid"),
    ("lengthrange", ACTUATOR),
    ("motor", ACTUATOR),
    ("position", ACTUATOR),
    ("velocity", ACTUATOR),
    ("intvelocity", ACTUATOR),
    ("general", ACTUATOR),
    ("damper", ACTUATOR),
    ("cylinder", ACTUATOR),
    ("muscle", ACTUATOR),
    ("adhesion", ACTUATOR),
    ("dcmotor", ACTUATOR),
];

/// The elements that are looked into.
pub(super) const KNOWN: &[Known] = &[
    Known {
        name: "mujoco",
        used: &["model"],
        unused: &[],
        children: &[
            "compiler", "option", "default", "asset", "worldbody", "contact", "equality", "keyframe",
        ],
    },
    Known { name: "mujocoinclude", used: &[], unused: &[], children: &[] },
    Known {
        name: "compiler",
        used: &[
            "angle", "coordinate", "autolimits", "strippath", "balanceinertia", "eulerseq", "assetdir", "meshdir",
            "boundmass", "boundinertia", "settotalmass", "inertiafromgeom", "inertiagrouprange",
        ],
        unused: &[(&["texturedir", "discardvisual", "usethread", "fusestatic", "saveinertial"], COMPILER), (
            &["alignfree"],
            "the frames of free bodies are those of the file",
        )],
        children: &["lengthrange"],
    },
    Known {
        name: "option",
        used: &["gravity", "timestep"],
        unused: &[
            (&["wind", "density", "viscosity", "magnetic"], FLUID),
            (&["o_margin", "o_solref", "o_solimp", "o_friction", "impratio"], SOFT),
            (
                &[
                    "integrator", "cone", "jacobian", "solver", "iterations", "tolerance", "ls_iterations", "ls_tolerance",
                    "noslip_iterations", "noslip_tolerance", "ccd_iterations", "ccd_tolerance", "sdf_iterations",
                    "sdf_initpoints", "actuatorgroupdisable", "apirate", "collision", "mpr_iterations", "mpr_tolerance",
                    "sleep_tolerance",
                ],
                SOLVER,
            ),
        ],
        children: &["flag"],
    },
    Known {
        name: "flag",
        used: &[
            "contact", "limit", "equality", "frictionloss", "filterparent", "spring", "damper", "passive", "gravity",
            "constraint",
        ],
        unused: &[(
            &[
                "warmstart", "sensor", "midphase", "eulerdamp", "autoreset", "nativeccd", "island", "override", "energy",
                "fwdinv", "invdiscrete", "multiccd", "sleep", "refsafe", "clampctrl", "actuation", "diagexact",
            ],
            SOLVER,
        )],
        children: &[],
    },
    Known {
        name: "default",
        used: &["class"],
        unused: &[],
        children: &["default", "geom", "joint", "mesh", "pair", "equality", "site", "inertial"],
    },
    Known { name: "asset", used: &[], unused: &[], children: &["mesh"] },
    Known {
        name: "mesh",
        used: &["name", "class", "file", "scale", "refpos", "refquat", "vertex", "face", "inertia"],
        unused: &[
            (&["smoothnormal", "normal", "texcoord", "material", "texdir"], PICTURE),
            (&["maxhullvert", "octree_maxdepth", "octree_depth"], "all vertices of the hull are taken"),
            (&["content_type"], "the format is told by the name of the file"),
        ],
        children: &[],
    },
    Known {
        name: "worldbody",
        used: &[],
        unused: &[],
        children: &["body", "geom", "frame", "site", "inertial", "joint", "freejoint"],
    },
    Known {
        name: "body",
        used: &["name", "childclass", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis"],
        unused: &[
            (&["mocap"], "it does not move by itself and nothing moves it"),
            (&["gravcomp"], "gravity acts in full"),
            (&["user"], NAMES),
            (&["sleep"], SOLVER),
        ],
        children: &["body", "geom", "frame", "site", "inertial", "joint", "freejoint"],
    },
    Known {
        name: "frame",
        used: &["name", "childclass", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis"],
        unused: &[],
        children: &["body", "geom", "frame", "site", "inertial", "joint", "freejoint"],
    },
    Known {
        name: "inertial",
        used: &["pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "mass", "diaginertia", "fullinertia"],
        unused: &[],
        children: &[],
    },
    Known { name: "freejoint", used: &["name"], unused: &[(&["group", "align"], NAMES)], children: &[] },
    Known {
        name: "joint",
        used: &[
            "name", "class", "type", "pos", "axis", "range", "limited", "stiffness", "springref", "ref", "damping",
            "armature", "frictionloss", "joint1", "joint2", "polycoef", "active",
        ],
        unused: &[
            (&["solreflimit", "solimplimit", "solreffriction", "solimpfriction", "solref", "solimp"], SOFT),
            (&["margin"], FEELER),
            (&["springdamper"], "springs and dampers are given by `stiffness` and `damping`"),
            (&["actuatorfrcrange", "actuatorfrclimited", "actuatorgravcomp"], ACTUATOR),
            (&["group", "user"], NAMES),
        ],
        children: &[],
    },
    Known {
        name: "geom",
        used: &[
            "name", "class", "type", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "size", "fromto", "mesh",
            "mass", "density", "contype", "conaffinity", "condim", "priority", "friction", "group", "shellinertia",
            "hfield",
        ],
        unused: &[
            (&["solref", "solimp", "solmix"], SOFT),
            (&["margin", "gap"], FEELER),
            (&["rgba", "material"], PICTURE),
            (&["fluidshape", "fluidcoef"], FLUID),
            (&["user"], NAMES),
            (&["fitscale"], "shapes are not fitted to meshes"),
        ],
        children: &[],
    },
    Known {
        name: "site",
        used: &["name", "class", "pos", "quat", "axisangle", "euler", "xyaxes", "zaxis", "fromto"],
        unused: &[(&["rgba", "material", "size", "type", "group", "user"], PICTURE)],
        children: &[],
    },
    Known { name: "contact", used: &[], unused: &[], children: &["pair", "exclude"] },
    Known { name: "exclude", used: &["name", "body1", "body2"], unused: &[], children: &[] },
    Known {
        name: "pair",
        used: &["name", "class", "geom1", "geom2", "condim", "friction"],
        unused: &[(&["solref", "solimp", "solreffriction"], SOFT), (&["margin", "gap"], FEELER)],
        children: &[],
    },
    Known {
        name: "equality",
        used: &[],
        unused: &[(&["solref", "solimp"], SOFT)],
        children: &["connect", "weld", "joint"],
    },
    Known {
        name: "connect",
        used: &["name", "class", "active", "body1", "body2", "anchor", "site1", "site2"],
        unused: &[(&["solref", "solimp"], SOFT)],
        children: &[],
    },
    Known {
        name: "weld",
        used: &["name", "class", "active", "body1", "body2", "relpose", "anchor", "site1", "site2"],
        unused: &[(&["solref", "solimp", "torquescale"], SOFT)],
        children: &[],
    },
    Known { name: "keyframe", used: &[], unused: &[], children: &["key"] },
    Known {
        name: "key",
        used: &["name", "qpos", "qvel"],
        unused: &[(&["time"], "motion starts at time zero"), (&["act", "ctrl"], ACTUATOR), (
            &["mpos", "mquat"],
            "bodies of motion capture do not move",
        )],
        children: &[],
    },
];

/// Elements without which the bodies would be others.
pub(super) const REFUSED: &[(&str, &str)] = &[
    ("composite", "bodies made of many are not made here; let MuJoCo save the compiled model"),
    ("flexcomp", "bodies that bend are not supported"),
    ("replicate", "replicated bodies are not made here; let MuJoCo save the compiled model"),
    ("attach", "attached models are not put together here; let MuJoCo save the compiled model"),
    ("model", "models inside models are not supported; let MuJoCo save the compiled model"),
];
