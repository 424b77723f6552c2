"""Mechanisms: random channels from true values to released values.

Every mechanism on values has `randomise(x, rng)`, which never changes `x`; its two halves `sample_noise(shape, rng)`
and `apply(x, noise)`, so that the same noise can be applied at many noise levels; and `epsilon`, `epsilon_at(delta,
n_values)` and `delta_at(epsilon, n_values)`. `PixelMechanism` is the interface of mechanisms on pixels, and
`pixels.FAMILIES` lists them. `survey_designs` has binary
channels that ask an innocent question too. `frequency_oracles` has mechanisms for one answer of many, whose reports
support a set of answers.
"""

from privdemo.mechanisms.additive import GaussianNoise, LaplaceNoise
from privdemo.mechanisms.binary_channel import BinaryChannel
from privdemo.mechanisms.frequency_oracles import (
    BasicRappor,
    FrequencyOracle,
    HadamardResponse,
    KaryResponse,
    OptimisedLocalHashing,
    OptimisedUnaryEncoding,
    SubsetSelection,
)
from privdemo.mechanisms.pixel_mechanism import Distortion, PixelMechanism
from privdemo.mechanisms.randomised_response import RandomisedResponse, ResponseNoise
from privdemo.mechanisms.states import to_unit
from privdemo.mechanisms.survey_designs import Crosswise, UnrelatedQuestion

__all__ = [
    "BasicRappor",
    "BinaryChannel",
    "Crosswise",
    "Distortion",
    "FrequencyOracle",
    "GaussianNoise",
    "HadamardResponse",
    "KaryResponse",
    "LaplaceNoise",
    "OptimisedLocalHashing",
    "OptimisedUnaryEncoding",
    "PixelMechanism",
    "RandomisedResponse",
    "ResponseNoise",
    "SubsetSelection",
    "UnrelatedQuestion",
    "to_unit",
]
