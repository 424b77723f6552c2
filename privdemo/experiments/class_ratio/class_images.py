"""Choose an image of each class, to show what the classes are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privdemo import datasets
from privdemo.datasets import Source


def class_images(dataset: Source, classes: tuple[str, ...]) -> tuple[NDArray[np.uint8], ...]:
    """Return the first image of each of some classes, in grey levels (height, width); none if records are no images."""
    records = datasets.load(dataset).select_classes(classes)
    if records.image_shape is None or records.n_states is None:
        return ()
    firsts = np.array([np.flatnonzero(records.y == c)[0] for c in range(len(classes))])
    return tuple(np.rint(255 * image).astype(np.uint8).reshape(records.image_shape) for image in records.unit(firsts))
