"""Prepare the live dial: its pictures and words as data for the browser, and the background jobs for its guesses."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from html import escape
from typing import Any

from pages.kit import cache, numbers
from pages.kit.trials import Job, Trials
from privdemo import figures
from privdemo.experiments import images
from privdemo.experiments.images import PRIORS, Config, Guesses, Point, Result
from privdemo.mechanisms import RandomisedResponse
from privdemo.mechanisms.pixels import PixelFamily
from privdemo.verdict import clearly_above

# What unfolds the rows of pictures, and rows of guesses.
_FOLD_TITLE = "More images, and what a program without the originals guesses"
# The step of the dial for each family of mechanisms.
STEPS = {"randomised_response": 0.005, "gaussian": 0.01, "laplace": 0.01}
# The kinds of a dial's jobs: guesses at its own level, and at all levels that it is dragged over.
_HERE, _ALONG = "guesses", "guesses at all levels"
# The priors that an adversary has without learning from releases.
_UNTAUGHT = ("flat", "true")

release = cache.shared(images.sample_release, max_entries=256)
_guess = cache.shared(images.guess, max_entries=256)
_packed = cache.shared(images.packed, max_entries=64)


# --- the adversary's guesses ------------------------------------------------------------------------


def guess_jobs(config: Config, family: PixelFamily, priors: tuple[str, ...] = PRIORS) -> list[Job]:
    """Return the jobs for the guesses at all levels of a dial; also for its own level if that takes over a second."""
    config, function = _without_labels(config), partial(images.guess, priors=priors)
    along = _along(config, family)
    jobs = [Job((_ALONG, along[0], priors), "Level", function, along, slow=True)]
    return jobs if _at_once(config) else [Job((_HERE, config, priors), "Guess", function, [config]), *jobs]


def guesses_here(config: Config, made: Trials, priors: tuple[str, ...] = PRIORS) -> Guesses:
    """Return the guesses at the dial's own level; those that must be learnt from many people once they are `made`."""
    config = _without_labels(config)
    if _at_once(config):
        return _guess(config, priors)
    guesses = made.of_kind(_HERE, config)
    return guesses[0] if guesses else _guess(config, tuple(prior for prior in priors if prior in _UNTAUGHT))


def guesses_along(config: Config, family: PixelFamily, made: Trials) -> tuple[Guesses, ...]:
    """Return the guesses at all levels of a dial; an empty tuple until all are `made`."""
    along = _along(_without_labels(config), family)
    guesses = tuple(made.of_kind(_ALONG, along[0]))
    return guesses if len(guesses) == len(along) else ()


def _at_once(config: Config) -> bool:
    return config.n_people <= images.AT_A_TIME


def _without_labels(config: Config) -> Config:
    """Return a config without noise on labels, on which guesses of pixels do not depend."""
    return replace(config, labels=RandomisedResponse(0.0, len(config.classes)))


def _along(config: Config, family: PixelFamily) -> list[Config]:
    levels = family.levels(images.n_states(config.dataset))
    return [images.with_mechanism(config, family, float(level)) for level in levels]


# --- the data for the browser ---------------------------------------------------------------------


def dial_data(
    result: Result,
    guesses: Guesses,
    family: PixelFamily,
    here: Point,
    points: Sequence[Point],
    prior_labels: Mapping[str, tuple[str, str]],
    halves: tuple[str, ...] = (),
    matching: str = "",
) -> dict[str, Any]:
    """Return the data for the browser: pictures, random numbers, words, and the range of the dial.

    `here` is the result of linking at the dial's level, `points` at the levels that it is dragged over. `prior_labels`
    are the title and the note of each prior's row of guesses; with `halves`, two titles, releases and guesses stand
    side by side. `matching` is markup on an image of the dial's level that is matched against originals, shown above
    the pictures. `ready` says for each row whether its `guesses` are learnt already. The `token` is the same at every
    level, so that the browser decodes the pictures once.
    """
    pictures, token = _fixed(result, family, tuple(prior_labels.values()), halves)
    return {
        "pictures": pictures,
        "token": token,
        "guesses": b"".join(guesses.pictures[prior].tobytes() for prior in prior_labels if prior in guesses.pictures),
        "ready": [prior in guesses.pictures for prior in prior_labels],
        "level": here.level,
        "linkingHere": linking_sentence(here),
        "levels": [point.level for point in points],
        "linking": [linking_sentence(point) for point in points],
        **({"matching": matching.encode()} if matching else {}),
    }


def _make_fixed(
    result: Result, family: PixelFamily, prior_labels: tuple[tuple[str, str], ...], halves: tuple[str, ...]
) -> tuple[bytes, str]:
    """Return the data that is the same at every level, as JSON, and its token."""
    limit = family.limit(result.n_states)
    height, width = result.image_shape
    config = result.config
    fixed = {
        "states": _base64(result.states),
        "clean": _base64(result.clean),
        "nStates": result.n_states,
        "height": height,
        "width": width,
        "labels": [result.class_names[label] for label in result.labels],
        "priorLabels": prior_labels,
        "halves": halves or None,
        "foldTitle": _FOLD_TITLE,
        "sentNote": "with noise",
        "symbol": None if family.replaces_pixels else family.symbol,
        "low": limit.low,
        "high": limit.high,
        "step": STEPS[family.name],
        "ends": level_ends(family, result.n_states),
        "name": level_words(family),
        **{name: _base64(part) for name, part in config.pixels.noise_by_name(result.noise).items()},
    }
    text = json.dumps(fixed)
    return text.encode(), _token(text, config)


_fixed = cache.shared(_make_fixed, max_entries=64)


def more_guesses(data: Mapping[str, Any], along: tuple[Guesses, ...], priors: Sequence[str]) -> dict[str, Any] | None:
    """Return the guesses at all levels of the dial, packed; None until they are learnt."""
    if not along:
        return None
    packed = _packed(along, tuple(priors))
    return {"token": data["token"], "nPriors": len(priors), "nLevels": len(along), "packed": packed}


def level_words(family: PixelFamily) -> str:
    """Return what a slider of the noise level is called."""
    return "Share of pixels replaced by random grey" if family.replaces_pixels else family.level_name.capitalize()


def level_ends(family: PixelFamily, n_states: int) -> tuple[str, str]:
    """Return the words at the left and the right end of that slider.

    With the most replaced pixels, p = 1 − 1/k, each grey level is as likely as any other, whatever the image is.
    """
    limit = family.limit(n_states)
    if family.replaces_pixels:
        return "0 %: nothing replaced", "all replaced"
    return f"{limit.low:.4g}: next to no noise", f"{limit.high:.4g}: most private"


def level_text(family: PixelFamily, level: float) -> str:
    """Write a noise level as the slider does: “70 %”, “σ = 0.3”."""
    return f"{100 * level:.4g} %" if family.replaces_pixels else f"{family.symbol} = {level:.3g}"


def linking_sentence(point: Point) -> str:
    """Say how often the sender of an image is found, and whether that is more than by chance."""
    start = f"A program that has the originals of {point.n_candidates} people picks the right sender for"
    found = f"{start} {numbers.out_of_100(point.linked.mean)} such images"
    if clearly_above(point.linked, 1 / point.n_candidates):
        return f"{found}."
    return f"{found}: no better than chance."


def _token(pictures: str, config: Config) -> str:
    """Return a name for the pictures: a hash of what is shown, and of the people from whom the guesses were learnt."""
    words = json.dumps([pictures, config.dataset, config.classes, config.n_people, config.seed])
    return hashlib.sha256(words.encode()).hexdigest()


def _base64(array: Any) -> str:
    """Return an array's raw bytes (little-endian) as base64 text."""
    return base64.b64encode(array.tobytes()).decode()


# --- the markup shown until the dial has started --------------------------------------------


def first_frame(data: Mapping[str, Any], result: Result, family: PixelFamily, guesses: Guesses, prior: str) -> str:
    """Return the dial and its pictures as HTML, with the same layout as dial.js.

    The guesses that are shown at once, beside the images that are sent, are those with this prior.
    """
    data = {**data, **json.loads(data["pictures"])}
    place = f'min="{data["low"]}" max="{data["high"]}" step="any" value="{data["level"]}"'
    left, right = map(escape, data["ends"])
    control = (
        f'<div class="control"><span class="name">{escape(data["name"])}</span><span class="end">{left}</span>'
        f'<input type="range" aria-label="{escape(data["name"])}" {place} disabled>'
        f'<span class="end">{right}</span><output>{level_text(family, data["level"])}</output></div>'
    )
    lines = f'<details class="fold"><summary>{escape(data["foldTitle"])}</summary></details>'
    if data["halves"]:
        lines = _halves(data, result, guesses.pictures.get(prior))  # None while they are still being learnt
    return (
        f'<div class="dial-first"><div class="dial">{control}<div class="matching">'
        f'{data.get("matching", b"").decode()}</div><p class="found">{data["linkingHere"]}</p>'
        f'<div class="lines">{lines}</div></div></div>'
    )


def _halves(data: Mapping[str, Any], result: Result, guesses: Any) -> str:
    halves = zip(data["halves"], (result.released, guesses), strict=True)
    return "".join(
        f'<figure class="half"><figcaption class="row-name">{escape(title)}</figcaption>'
        f"{''.join(_pictures(result, pictures, title))}</figure>"
        for title, pictures in halves
    )


def _pictures(result: Result, pictures: Any, name: str) -> list[str]:
    """Return a picture of each person as an image element."""
    shape = result.image_shape
    return [
        f'<img src="{figures.data_uri(picture.reshape(shape))}" alt="{escape(name)}: person {n + 1}, '
        f'a {result.class_names[result.labels[n]]}">'
        for n, picture in enumerate(pictures)
    ]
