"""Tables and the gallery hold what the releases do."""

from dataclasses import replace

import numpy as np

from privdemo.experiments import images
from privdemo.experiments.images import Config, CurveConfig, GalleryConfig
from privdemo.mechanisms import BinaryChannel, RandomisedResponse
from tests.experiments.images.oracles import DIGITS, DIGITS_K


def test_picture_table_holds_every_picture():
    result = images.run(replace(DIGITS, per_class=2, labels=BinaryChannel(1.0, 0.0)))
    rows = images.picture_table(result)
    kinds = ["clean", "released", "guess_flat_prior", "guess_learned_prior", "guess_true_prior"]
    assert len(rows) == 4 * len(kinds)
    assert all(
        list(row) == ["person", "label", "label_sent", "picture", *(f"pixel_{j}" for j in range(64))] for row in rows
    )
    assert [row["person"] for row in rows] == [person for person in (1, 2, 3, 4) for _ in kinds]
    assert [row["picture"] for row in rows] == kinds * 4
    assert [row["label"] for row in rows] == ["7"] * 10 + ["9"] * 10
    assert {row["label_sent"] for row in rows} == {"9"}
    pictures = {"clean": result.clean, "released": result.released} | {
        f"guess_{kind}_prior": guess for kind, guess in result.guesses.items()
    }
    for row in rows:
        assert [row[f"pixel_{j}"] for j in range(64)] == pictures[row["picture"]][row["person"] - 1].tolist()


def test_curve_table_holds_every_number():
    points = images.curve(CurveConfig("digits", n_candidates=40))
    rows = images.curve_table(points)
    assert len(rows) == len(points) == 17
    for row, point in zip(rows, points, strict=True):
        assert row.pop("level") == point.level
        assert row.pop("n_candidates") == point.n_candidates
        assert row.pop("absolute_error_expected") == point.expected.absolute
        assert row.pop("squared_error_expected") == point.expected.squared
        for column, estimate in (
            ("absolute_error", point.absolute),
            ("squared_error", point.squared),
            ("linked", point.linked),
        ):
            assert tuple(row.pop(f"{column}_{end}") for end in ("mean", "low", "high")) == estimate
        assert not row
    assert images.curve_table([]) == []


def test_the_gallery_goes_to_pure_noise():
    gallery, useless = images.gallery(GalleryConfig("digits")), 16 / 17
    assert gallery.levels == (*(p for p in GalleryConfig.levels if p < useless), useless)
    assert gallery.images.shape == (4, len(gallery.levels), 8, 8)
    assert gallery.class_names == ("7", "9")
    for column, level in enumerate(gallery.levels):
        result = images.run(Config("digits", pixels=RandomisedResponse(level, DIGITS_K), per_class=1))
        for person in (0, 1):
            np.testing.assert_array_equal(gallery.images[2 * person, column].ravel(), result.released[person])
            np.testing.assert_array_equal(
                gallery.images[2 * person + 1, column].ravel(), result.guesses["learned"][person]
            )
        assert gallery.points[column] == images.measure(CurveConfig("digits"), level)
