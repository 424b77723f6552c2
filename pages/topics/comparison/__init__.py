"""The page that compares all methods: which one, at which privacy?"""

from pathlib import Path

from pages.kit import folds, numbers
from pages.kit.page import Chapter, Chapters, Page
from pages.topics.comparison import against_pin, all_numbers, goal, one_likelihood, pushed
from pages.topics.comparison.answer import GUESS, Answer, snippet, what_it_costs
from pages.topics.comparison.controls import pin_button
from pages.topics.comparison.question import LOOK, PUSHED, REACH_A_GOAL, Question
from privdemo.accounting import LARGEST_DEFAULT
from privdemo.experiments.comparison import N_TEST, ComparisonConfig
from privdemo.experiments.results import N_TRIALS
from privdemo.mechanisms.label_counts import RELEASES
from privdemo.methods import TIGHT

_HERE = Path(__file__).parent


def standing_words(question: Question | str, _: Answer | None = None) -> dict[str, str]:
    """Return how it works, what the adversary sees, the caveats and the code, as Markdown by title."""
    default = ComparisonConfig()
    epsilon, noises = (
        numbers.epsilon(default.set_name_epsilon),
        ", ".join(RELEASES[name].title for name in TIGHT.values()),
    )
    return folds.folds(
        folds.read(_HERE / "how.md", noises=noises, n_test=N_TEST),
        folds.read(_HERE / "adversary.md", at_first=epsilon, rho=f"{default.rho:g}"),
        folds.read(_HERE / "caveats.md", n_trials=N_TRIALS, delta=numbers.power_of_ten(LARGEST_DEFAULT)),
        "" if isinstance(question, str) else snippet(question).markdown,
    )


CHAPTERS = Chapters(
    LOOK,
    (
        Chapter("Results by who is trusted", what_it_costs, title="How well it learns"),
        Chapter(REACH_A_GOAL, goal.panels),
        Chapter(PUSHED, pushed.panels, title="If some people lie"),
        Chapter("Compare two settings", against_pin.panels, pin_button),
        Chapter(
            "One method for labels, bags and groups",
            one_likelihood.panels,
            for_specialists=True,
            title="One method for all kinds of data",
        ),
        Chapter("All results in a table", all_numbers.panels, for_specialists=True),
    ),
    guess=GUESS,
)


PAGE = Page.from_folder(
    __name__,
    title="Methods compared",
    question="Can a computer still learn if some labels are switched?",
    address="comparison",
    folds=standing_words,
    failed="Nothing can be compared here.",
    chapters=CHAPTERS,
    shows_images=True,
)
