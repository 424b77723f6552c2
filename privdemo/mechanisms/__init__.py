"""How data is privatised: each mechanism is a channel from what is true to what is released.

Every mechanism has `randomise(x, rng)`, which never changes `x`; `draws(shape, rng)` and
`apply(x, draws)`, its two halves, so that one set of draws can be looked at under many noise
levels; and `epsilon`, `epsilon_at(delta, n_values)`, `delta_at(epsilon, n_values)`.
"""

from privdemo.mechanisms.additive import GaussianNoise, LaplaceNoise, to_unit
from privdemo.mechanisms.randomised_response import BinaryChannel, RandomisedResponse, ResponseDraws

__all__ = ["BinaryChannel", "GaussianNoise", "LaplaceNoise", "RandomisedResponse", "ResponseDraws", "to_unit"]
