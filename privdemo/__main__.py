"""The command line: ``python -m privdemo``."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from privdemo import commands, datasets
from privdemo.advise import SHIPPED, TRUSTED, TRUSTS, Question
from privdemo.experiments import claims, results, running

_EXAMPLES = """\
examples:
  python -m privdemo data mnist           fetch and check MNIST (11 MB), once
  python -m privdemo data all             the same for every data set
  python -m privdemo reproduce figure3    train on lies again, as in Barber's figure 3
  python -m privdemo reproduce llp        learn from bags again: the slides' tables, and every setting
  python -m privdemo reproduce classratio shares of groups again: Iyer's figures 2 and 3 (40 minutes)
  python -m privdemo reproduce distortion released counts again: Iyer's figure 1 (seconds)
  python -m privdemo reproduce answers    shares of 64 answers again, by five lies (a minute)
  python -m privdemo reproduce comparison every method at every ε again (ten minutes)
  python -m privdemo reproduce pushed     the same, where some people push their labels (three minutes)
  python -m privdemo reproduce deltas     a curator's classifier at a larger δ again (a minute)
  python -m privdemo reproduce defaults   the trials that the app's pages open on again (two minutes)
  python -m privdemo claims               published claims beside ours, with verdicts
  python -m privdemo advise --ask yes-no --trust nobody --people 5000 --within 0.03
                                          what to do, with what noise, and what it costs
  python -m privdemo disobey --share 0.35 --part 0.25
                                          what people who do not follow the rules do to an estimate
  python -m privdemo notice --lies 0.1 0.4 --counts 710 290 652 348
                                          how many do not, from two halves that were told to lie differently
  python -m privdemo attack --answers 64 --part 0.05
                                          how far fake clients push an answer, by every mechanism
  python -m privdemo sweep spec.toml --out results.csv
                                          your own grid of settings, many trials each; goes on where it stopped
  python -m privdemo run setting.toml     a page of the app without the app: its sentence, and its table as CSV
  python -m privdemo lessons course       four lessons, each an HTML file that needs no server and no network

Files go to the user's cache folder. To use files you already have, set PRIVDEMO_DATA to a folder
that holds mnist/*.gz, adult/*.gz and sms/*.gz; nothing is downloaded then.
"""

_SPEC = """\
SPEC, for example:
  experiment = "training"        # or "bags", "class_ratio", "comparison", "voting", "images", "label_counts",
                                 # "many_answers", "disobedience", "attackers"
  repeats = 10                   # trials of every config

  [config]                       # what all trials share; the rest is as in the package
  dataset = "digits"
  n_train = 100
  methods = ["naive", "spread"]

  [grid]                         # every combination is run
  labels = [0.1, 0.2, [0.1, 0.3]]   # flip probabilities; two where the classes lie differently
  pixels = [0.1, {gaussian = 0.3}] # flip probability, or noise that is added

On many machines: start `dask scheduler` on one and `dask worker tcp://HOST:8786 --nthreads 1` on each, then add
--backend dask --scheduler tcp://HOST:8786 (on all: pip install '.[dask]' in the project's folder).
"""

_REPRODUCE = """

examples:
  python -m privdemo reproduce distortion                          the app's own file, in seconds
  python -m privdemo reproduce figure3 --draws 3 --out mine.csv    a quick look, in a file of your own
  python -m privdemo reproduce all                                 everything, about two hours on two cores
"""


_ADVISE = """\
examples:
  python -m privdemo advise --ask yes-no --trust nobody --people 5000 --within 0.03
  python -m privdemo advise --ask one-of-k --answers 64 --trust shuffler --within 0.01
  python -m privdemo advise --ask counts --answers 16 --trust curator --people 10000 --json
  python -m privdemo advise --ask classifier --trust nobody --within 0.03
"""


_DISOBEY = """\
examples:
  python -m privdemo disobey --share 0.35 --lie 0.3 --part 0.25
"""


_NOTICE = """\
examples:
  python -m privdemo notice --lies 0.1 0.4 --counts 710 290 652 348
                     two halves: No and Yes of the first, No and Yes of the second
  python -m privdemo notice --lies 0.2 --control 0.25 --counts 1083 319 397 201
                     No with No and with Yes to the control question, Yes with No and with Yes
"""


_ATTACK = """\
examples:
  python -m privdemo attack --answers 64 --epsilon 1 --part 0.05 --share 0.01
"""


_SETTING = """\
FILE, for example:
  page = "voting"                # a page by its address
  experiment = "voting"          # for a sweep of the same file
  repeats = 10

  [settings]                     # as in the page's link; the rest is as in the app
  voters = 1000
  lie = 0.3

  [config]                       # the same question for a sweep
  n_voters = 1000
  channel = 0.3
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return 0, 1 after a failure, 130 when interrupted, 141 when the output is no longer
    read.
    """
    options = vars(_parser().parse_args(arguments))
    run, when_interrupted = options.pop("run"), options.pop("when_interrupted")
    try:
        run(**options)
    except BrokenPipeError:  # the reader of the output, such as `head`, has closed it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + 13  # as after SIGPIPE
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        print(f"privdemo: {what}", file=sys.stderr)
        return 1
    except (datasets.DatasetError, ValueError) as error:
        print(f"privdemo: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"privdemo: interrupted; {when_interrupted}", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m privdemo",
        description="What local privacy methods cost and protect, from a terminal.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    subparsers = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for add in (
        _add_data,
        _add_reproduce,
        _add_claims,
        _add_advise,
        _add_disobedience,
        _add_sweep,
        _add_run,
        _add_lessons,
    ):
        add(subparsers)
    return parser


def _add_data(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`data NAME`: fetch and check a data set."""
    data = subparsers.add_parser(
        "data",
        help="fetch and check data sets",
        description="Fetch a data set unless it is there already, check it, and say what it holds.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    data.add_argument(
        "name",
        metavar="NAME",
        choices=(*datasets.DATASETS, "all"),
        help=f"{', '.join(datasets.DATASETS)}, or all",
    )
    data.set_defaults(run=commands.show_data, when_interrupted="no incomplete file was kept")


def _add_reproduce(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`reproduce NAME`: compute a study anew."""
    studies = commands.STUDIES
    width = max(map(len, studies))
    reproduce = subparsers.add_parser(
        "reproduce",
        help="compute a figure or section of a paper anew",
        description=_wrapped(
            "Compute a study anew, print its means with 95 % intervals beside the published values, and write its "
            "results file. Ended in any way, the same command goes on where it was; the numbers are the same on any "
            "number of processes or machines."
        ),
        epilog="studies:\n"
        + "\n".join(
            f"  {name:{width}}  {study.title}{study.needs and f', needs {study.needs}'}"
            for name, study in studies.items()
        )
        + _REPRODUCE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    reproduce.add_argument("name", metavar="NAME", choices=(*studies, "all"), help=f"{', '.join(studies)}, or all")
    reproduce.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="the file to write, or the folder for all (default: those that the app shows)",
    )
    reproduce.add_argument(
        "--draws",
        dest="n_trials",
        type=int,
        default=results.N_TRIALS,
        metavar="N",
        help="repeats (default: %(default)s)",
    )
    _add_where(reproduce)
    reproduce.set_defaults(
        run=commands.reproduce,
        when_interrupted="the trials that are done are kept beside the file (FILE.trials), what they say so far, if "
        "anything, in FILE.part; the same command goes on",
    )


def _add_claims(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`claims`: published claims beside ours."""
    checking = subparsers.add_parser(
        "claims",
        help="published claims beside ours",
        description=_wrapped(
            "Print every published claim beside ours, with its verdict and the reason. What needs no results file is "
            "computed at once, the rest comes from the files that reproduce makes."
        ),
        epilog="example:\n  python -m privdemo claims --source Yan\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    checking.add_argument("--source", choices=list(claims.FIRST_AUTHORS.values()), help="of one paper alone")
    checking.set_defaults(run=commands.show_claims, when_interrupted="nothing was written")


def _add_advise(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`advise --ask … --trust …`: which mechanism answers a question, and what it costs."""
    advising = subparsers.add_parser(
        "advise",
        help="what to do, with what noise, and what it costs",
        description=_wrapped(
            "Say which mechanism answers a question, with which parameters, how exact the result is, and what the next "
            "more and less trust would save or cost; or that it cannot be done, and what would have to change. Give "
            "the number of people, how exact the result must be, or both."
        ),
        epilog=_ADVISE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    advising.add_argument("--ask", required=True, metavar="WHAT", help=", ".join(TRUSTS))
    advising.add_argument("--trust", required=True, metavar="WHOM", help=", ".join(TRUSTED))
    for name, kind, words in (
        ("people", int, "how many people there are"),
        ("within", float, "half the width of the 95 %% interval, as a share: 0.03 is ± 3 points"),
        ("answers", int, "how many answers there are (default: %(default)s)"),
        ("epsilon", float, "the largest ε of one person that is allowed (default: %(default)s)"),
        ("delta", float, "the δ where somebody is trusted (default: 10⁻⁶ or 1/n² of n people, whichever is smaller)"),
        ("groups", int, "how many groups there are, if their leaders are trusted"),
        ("largest-share", float, "the largest share that an answer can have (default: %(default)s)"),
    ):
        field = name.replace("-", "_")
        default = getattr(Question, field)
        advising.add_argument(f"--{name}", type=kind, default=default, metavar="N" if kind is int else "X", help=words)
    advising.add_argument(
        "--dataset",
        default=Question.dataset,
        metavar="NAME",
        help=f"the records that those of a classifier are like: {', '.join(SHIPPED)} (default: %(default)s)",
    )
    _add_json(advising, commands.show_advice)


class _Flag(NamedTuple):
    """An option of a command: its `name`, and what `add_argument` takes besides."""

    name: str
    words: str
    default: float | None = None
    more: Mapping[str, Any] = {}


class _Command(NamedTuple):
    """A command that only prints: its help, what it does, its examples, the function that runs it, and its options."""

    help: str
    description: str
    examples: str
    run: Callable[..., None]
    flags: Sequence[_Flag]


_DISOBEDIENCE = {
    "disobey": _Command(
        "what people who do not follow the rules do to an estimate",
        "Say what share of Yes is estimated on average if a part of the people does not follow the rules, by what they "
        "do instead; and between which shares the truth can be, whatever they do.",
        _DISOBEY,
        commands.show_disobedience,
        (
            _Flag("share", "the share of people for whom Yes is true", 0.35),
            _Flag("lie", "how often those who follow the rules lie", 0.2),
            _Flag("part", "the part that does not follow them", 0.1),
        ),
    ),
    "notice": _Command(
        "how many people do not follow the rules, from a survey that notices",
        "Estimate the share of Yes and the part that says No whatever happens, with 95 % intervals, from two random "
        "halves that were told to lie differently, or from a control question of known share.",
        _NOTICE,
        commands.show_noticed,
        (
            _Flag(
                "lies",
                "how often people lie: in each half, or in both questions",
                None,
                {"nargs": "+", "required": True},
            ),
            _Flag("counts", "four counts: see the examples", None, {"type": int, "nargs": 4, "required": True}),
            _Flag("control", "the known share of the control question"),
        ),
    ),
    "attack": _Command(
        "how far fake clients push an answer, by every mechanism",
        "Say by how many points fake clients raise the estimated shares of the answers that they want, by each "
        "mechanism and attack, and what defences leave of it in simulated surveys. The other answers are alike.",
        _ATTACK,
        commands.show_attack,
        (
            _Flag("answers", "how many answers there are", 64),
            _Flag("epsilon", "the ε of every report", 1.0),
            _Flag("part", "the part of all clients that is fake", 0.05),
            _Flag("share", "the true share of each answer that they want", 0.01),
            _Flag("targets", "how many answers they want", 1),
            _Flag("people", "how many clients there are", 10_000),
        ),
    ),
}


def _add_disobedience(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`disobey`, `notice` and `attack`: people who do not follow the rules."""
    for name, command in _DISOBEDIENCE.items():
        parser = subparsers.add_parser(
            name,
            help=command.help,
            description=_wrapped(command.description),
            epilog=command.examples,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        for flag in command.flags:
            kind = flag.more.get("type", float if flag.default is None else type(flag.default))
            words = flag.words if flag.default is None else f"{flag.words} (default: %(default)s)"
            shown = {"type": kind, "metavar": "N" if kind is int else "X", "default": flag.default, "help": words}
            parser.add_argument(f"--{flag.name}", **(shown | dict(flag.more)))
        _add_json(parser, command.run)


def _add_json(parser: argparse.ArgumentParser, run: Callable[..., None]) -> None:
    """Let a command that only prints do so as JSON."""
    parser.add_argument("--json", dest="as_json", action="store_true", help="as JSON, with every number")
    parser.set_defaults(run=run, when_interrupted="nothing was written")


def _add_sweep(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`sweep SPEC --out FILE`: run a grid of settings."""
    sweeping = subparsers.add_parser(
        "sweep",
        help="run a grid of settings, many trials each",
        description=_wrapped(
            "Run every combination of settings in a TOML file, and add a row to a CSV file as each trial is "
            "done. Ended in any way, the same command goes on where it was; the numbers are the same on any number of "
            "processes or machines."
        ),
        epilog=_SPEC,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    sweeping.add_argument("spec", type=Path, metavar="SPEC", help="the TOML file")
    sweeping.add_argument("--out", type=Path, metavar="FILE", required=True, help="the CSV file to write or go on with")
    _add_where(sweeping)
    sweeping.set_defaults(
        run=commands.run_sweep, when_interrupted="the trials that are done are in the file; the same command goes on"
    )


def _add_run(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`run FILE`: answer the question of a page's setting."""
    running_page = subparsers.add_parser(
        "run",
        help="answer the question of a page's setting",
        description=_wrapped(
            "Answer the question of a setting that was saved on a page of the app: print the page's sentence, and "
            "write the table of its main figure as CSV. The page computes it, so this runs in the project's folder."
        ),
        epilog=_SETTING,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    running_page.add_argument("file", type=Path, metavar="FILE", help="the TOML file")
    running_page.add_argument(
        "--out", type=Path, metavar="TABLE.csv", help="the CSV file to write (default: FILE with .csv)"
    )
    running_page.set_defaults(run=_run_setting, when_interrupted="nothing was written")


def _run_setting(file: Path, out: Path | None) -> None:
    """Compute the result of a page's settings in a file."""
    with _with_pages():
        from pages import terminal

        terminal.run(file, out)


def _add_lessons(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """`lessons DIR`: write parts of the app as files."""
    writing = subparsers.add_parser(
        "lessons",
        help="write four lessons as HTML files",
        description=_wrapped(
            "Write four parts of the app as lessons: your own secret, voting, the image dial and a show of hands. Each "
            "is one HTML file that needs no server and no network. Lessons that are in the folder already are written "
            "anew; other files are left alone. The pages make them, so this runs in the project's folder."
        ),
        epilog="example:\n  python -m privdemo lessons course\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    writing.add_argument("folder", type=Path, metavar="DIR", help="the folder; it is made if it is not there")
    writing.set_defaults(run=_write_lessons, when_interrupted="lessons that are written are whole")


def _write_lessons(folder: Path) -> None:
    """Write the lessons into a folder."""
    with _with_pages():
        from pages import lessons

        lessons.write(folder)


@contextlib.contextmanager
def _with_pages() -> Iterator[None]:
    """Allow a command to import the pages, without Streamlit's messages, which are for a server's log.

    Raise ``ValueError`` where they are not there.
    """
    logging.disable()
    try:
        yield
    except ModuleNotFoundError as error:
        raise ValueError(
            f"the app is not here ({error}): run this in the project's folder, with what requirements.txt names"
        ) from None
    finally:
        logging.disable(logging.NOTSET)


def _wrapped(words: str) -> str:
    """Return lines of 100 letters, as `RawDescriptionHelpFormatter`, which keeps the examples' lines, wraps nothing."""
    return textwrap.fill(words, 100)


def _add_where(parser: argparse.ArgumentParser) -> None:
    """Options on where trials run."""
    parser.add_argument(
        "--jobs", type=int, default=2, metavar="N", help="trials side by side; a cluster uses all it has (default: 2)"
    )
    parser.add_argument(
        "--backend",
        default="loky",
        choices=running.BACKENDS,
        help="loky, processes of this machine, or a Dask cluster (default: loky)",
    )
    parser.add_argument(
        "--scheduler", metavar="ADDRESS", help="of the Dask cluster, tcp://host:8786 (default: one on this machine)"
    )


if __name__ == "__main__":
    sys.exit(main())
