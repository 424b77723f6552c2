"""Read and write a page's settings as a TOML file, which the page opens and `python -m privdemo` runs and sweeps."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from pages.kit import toml_files
from pages.kit.toml_files import LinkSettings, pairs, to_toml_value
from privdemo.experiments import sweep
from privdemo.experiments.sweep import EXPERIMENTS
from privdemo.toml_text import parse, shortened

_HEAD = "# privdemo setting: open it on the app's page, run it with `python -m privdemo run FILE`, or sweep it."
_WHAT = "a setting"
_KEYS = ("page", "experiment", "repeats", "settings", "config", "grid")
# The name of the home page in a file; its address is empty.
HOME = "home"


@dataclass(frozen=True)
class SettingFile:
    """A `page` by its address and its `settings` as in a link; and the same question for a sweep.

    `config` are the plain values of the `experiment`, both empty if no sweep can run the page's question; `varied` are
    the keys of the config that the sweep varies in its grid.
    """

    page: str
    settings: LinkSettings = field(default_factory=dict, hash=False)
    experiment: str = ""
    config: Mapping[str, Any] = field(default_factory=dict, hash=False)
    repeats: int = 10
    varied: tuple[str, ...] = ()


def config_of(question: Any) -> Any:
    """Return the config with which a sweep runs a page's question; None if no sweep can."""
    known = {experiment.config for experiment in EXPERIMENTS.values()}
    candidates = (getattr(question, "swept", None), getattr(question, "config", None), question)
    return next((config for config in candidates if type(config) in known), None)


def write(page: str, settings: LinkSettings, config: Any = None, repeats: int = 10) -> str:
    """Return the file of a page's settings, and of the `config` for a sweep (see `config_of`).

    Raise ``ValueError`` with a sentence if the records are a visitor's own.
    """
    toml_files.check_settings(settings)
    head, blocks = {"page": page or HOME}, {"settings": toml_files.settings_to_toml(settings)}
    if config is not None:
        experiment = sweep.experiment_of(config)
        head |= {"experiment": experiment, "repeats": int(sweep.REPEATS.check(repeats))}  # type: ignore[dict-item]
        blocks["config"] = EXPERIMENTS[experiment].plain_values(config)
    notes = {"settings": "as in the page's link", "config": "the same question for a sweep"}
    lines = [_HEAD, *pairs(head)]
    for name, table in blocks.items():
        lines += ["", f"[{name}]  # {notes[name]}", *pairs(table)]
    return "\n".join(lines) + "\n"


def read(content: bytes | str, pages: Collection[str]) -> SettingFile:
    """Read a file of settings for one of the `pages`, given by their addresses.

    Raise ``ValueError`` with a sentence that names the key and the value. The page checks whether it accepts the
    values; `differences` checks the config.
    """
    table = parse(content, _WHAT)
    if "step" in table:
        raise ValueError("this is a lecture: open it on the page “Lectures”")
    toml_files.check_keys(table, _KEYS, _WHAT)
    if "page" not in table:
        raise ValueError("a setting must have page, the page's name in its address")
    page = "" if table["page"] == HOME else table["page"]
    if not isinstance(page, str) or page not in pages:
        known = ", ".join(name or HOME for name in pages)
        raise ValueError(f"page must be one of {known}, got {shortened(table['page'])}")
    for name in ("config", "grid"):
        if not isinstance(table.get(name, {}), dict):
            raise ValueError(f"{name} must be a table, such as [{name}], got {shortened(table[name])}")
    experiment, config = table.get("experiment", ""), table.get("config", {})
    if not isinstance(experiment, str) or experiment not in ("", *EXPERIMENTS):
        raise ValueError(f"experiment must be one of {', '.join(EXPERIMENTS)}, got {shortened(experiment)}")
    if config and not experiment:
        raise ValueError(f"[config] is for a sweep: name its experiment, one of {', '.join(EXPERIMENTS)}")
    repeats = table.get("repeats", 10)
    sweep.REPEATS.check(repeats)
    settings = toml_files.settings_from_toml(table.get("settings", {}))
    return SettingFile(page, settings, experiment, config, repeats, tuple(table.get("grid", {})))


def differences(file: SettingFile, question: Any) -> list[str]:
    """Return how [config] differs from the `question` that the settings make, except for what a sweep varies.

    Raise ``ValueError`` with a sentence for an invalid config.
    """
    if not file.config:
        return []
    of_settings, of_file = config_of(question), sweep.make(file.experiment, file.config)
    if type(of_settings) is not type(of_file):
        experiment = sweep.experiment_of(of_settings) if of_settings is not None else "none"
        return [f"the experiment is {file.experiment}, but that of the settings is {experiment}"]
    plain_values = EXPERIMENTS[file.experiment].plain_values
    in_config, made = plain_values(of_file), plain_values(of_settings)
    return [
        f"{key} is {_written(in_config.get(key))} in [config], but the settings make it {_written(made.get(key))}"
        for key in dict.fromkeys((*in_config, *made))
        if key not in file.varied and in_config.get(key) != made.get(key)
    ]


def _written(value: Any) -> str:
    """Return a value as in a file, where a default may be left out."""
    return "not given" if value is None else to_toml_value(value)
