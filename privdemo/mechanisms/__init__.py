"""How data is privatised: each mechanism is a channel from what is true to what is released.

Every mechanism on values has `randomise(x, rng)`, which never changes `x`; its two halves `draws(shape, rng)` and
`apply(x, draws)`, so that one set of draws can be looked at under many noise levels; and `epsilon`,
`epsilon_at(delta, n_values)` and `delta_at(epsilon, n_values)`. `PixelMechanism` lists what a mechanism on pixels
answers besides, and `pixels.FAMILIES` which of them there are.
"""

from privdemo.mechanisms.additive import GaussianNoise, LaplaceNoise
from privdemo.mechanisms.binary_channel import BinaryChannel
from privdemo.mechanisms.pixel_mechanism import Distortion, PixelMechanism
from privdemo.mechanisms.randomised_response import RandomisedResponse, ResponseDraws
from privdemo.mechanisms.states import to_unit

__all__ = [
    "BinaryChannel",
    "Distortion",
    "GaussianNoise",
    "LaplaceNoise",
    "PixelMechanism",
    "RandomisedResponse",
    "ResponseDraws",
    "to_unit",
]
