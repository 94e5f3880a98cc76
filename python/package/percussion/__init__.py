"""Rigid bodies that hit each other with friction.

Complementarity problems, contacts with friction, impact laws and certificates that judge any answer, also those of other programs.

>>> import numpy as np
>>> block = FrictionProblem(0.5 * np.eye(3), [-2.0, 3.0, 0.0], [0.5])
>>> block.solve().check().impulses
array([[ 4., -2.,  0.]])

Contact components are in the order normal, tangent 1, tangent 2; units are SI, angles in radians. Wrong input is a
``ValueError`` that names the argument, its value and the expected one; if a solver or a law did not succeed, this is a ``status``
of the result, for which ``check()`` raises ``UnsolvedError``.
"""

from ._percussion import __version__
from .batch import Batch, BatchAdvance
from .blocks import Block
from .derivative import (
    FrictionChange,
    FrictionDerivative,
    FrictionGradient,
    ImpactChange,
    ImpactDerivative,
    ImpactGradient,
    Reach,
)
from .ensemble import Ensemble, run_ensemble
from .errors import StepError, UnsolvedError
from .friction import FrictionCertificate, FrictionProblem, FrictionSolution, Relaxation
from .granular import GrainMotion, Grains, grain_scenes, grains
from .impact import Contact, Impact
from .lcp import LcpRay, LcpSolution, LcpSolutionSet, enumerate_lcp, solve_lcp
from .lists import Choice, Setting, friction_laws, friction_methods, impact_laws, lcp_methods, schemes
from .model import Actuator, ContactProblem, ContactsAt, EventMotion, Model, Trajectory
from .outcome import (
    Bounds,
    Certificate,
    Comparison,
    ContactPlane,
    Extreme,
    Mode,
    OuterBounds,
    Outcome,
    OutcomeList,
    OutcomeSet,
    Stage,
)
from .simulation import Advance, Simulation, StepReport
from .viewer import Page, view

__all__ = [
    "Actuator",
    "Advance",
    "Batch",
    "BatchAdvance",
    "Block",
    "Bounds",
    "Certificate",
    "Choice",
    "Comparison",
    "Contact",
    "ContactPlane",
    "ContactProblem",
    "ContactsAt",
    "Ensemble",
    "EventMotion",
    "Extreme",
    "FrictionCertificate",
    "FrictionChange",
    "FrictionDerivative",
    "FrictionGradient",
    "FrictionProblem",
    "FrictionSolution",
    "GrainMotion",
    "Grains",
    "Impact",
    "ImpactChange",
    "ImpactDerivative",
    "ImpactGradient",
    "LcpRay",
    "LcpSolution",
    "LcpSolutionSet",
    "Mode",
    "Model",
    "Outcome",
    "OutcomeList",
    "OutcomeSet",
    "OuterBounds",
    "Page",
    "Reach",
    "Relaxation",
    "Setting",
    "Simulation",
    "Stage",
    "StepError",
    "StepReport",
    "Trajectory",
    "UnsolvedError",
    "__version__",
    "enumerate_lcp",
    "friction_laws",
    "friction_methods",
    "grain_scenes",
    "grains",
    "impact_laws",
    "lcp_methods",
    "run_ensemble",
    "schemes",
    "solve_lcp",
    "view",
]
