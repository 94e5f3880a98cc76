"""One impact, all laws, and the set of all outcomes: a block lands flat on two corners."""

from pathlib import Path

import percussion as pc

IMPACTS = Path(__file__).parents[2] / "crates/scenarios/fixtures/impacts"

impact = pc.Impact.load(IMPACTS / "rocking-block.toml")
print(impact)
print(impact.compare(["newton", "poisson", "anitescu-potra", "maximum-dissipation", "sequential", "plus"]))

outcomes = impact.outcomes(samples=4096, seed=1).check()
assert outcomes.bounds is not None
for name, low, high in zip(impact.velocity_names, *outcomes.bounds.velocity, strict=True):
    print(f"{name:<20} from {low:+.3f} to {high:+.3f}")
for mode in outcomes.modes[:5]:
    print(f"{mode.count:5} samples: {', '.join(mode.contacts)}")
print(f"one more sample lies outside of these bounds with a probability of at most {outcomes.guarantee['outside_bounds']:.2g}")

# The outcome of every inelastic law is in this set.
inelastic = impact.resolve("anitescu-potra").check()
low, high = outcomes.bounds.velocity
assert (low - 0.05 <= inelastic.velocity).all()
assert (inelastic.velocity <= high + 0.05).all()
