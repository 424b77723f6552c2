"""The page on learning from label proportions: what if only the totals of bags are known?"""

from pathlib import Path

from pages.kit import folds, numbers
from pages.kit.page import Chapter, Chapters, Page
from pages.topics.label_proportions import curves, filling, noise
from pages.topics.label_proportions.answer import GUESS, Answer, score_snippet
from pages.topics.label_proportions.chapters import all_numbers, the_adversary, the_bags
from pages.topics.label_proportions.controls import means_controls, noise_controls
from pages.topics.label_proportions.question import (
    MEANS,
    NOISE_ON,
    PROPORTION_EPSILON,
    Question,
    means_of,
    noise_on,
)
from privdemo.experiments.label_proportions.fit import N_FOLDS
from privdemo.experiments.results import N_TRIALS

_HERE = Path(__file__).parent


def standing_words(question: Question | str, _: Answer | None = None) -> dict[str, str]:
    """Return how it works, what the adversary sees, the caveats and the code, as Markdown by title."""
    epsilon = PROPORTION_EPSILON.default
    how, why = folds.read(_HERE / "how.md", n_folds=N_FOLDS), folds.read(_HERE / "first_order.md")
    return folds.folds(
        f"{how}\n{why}",
        folds.read(_HERE / "adversary.md", epsilon=f"{epsilon:g}", factor=numbers.odds_factor(epsilon)),
        folds.read(_HERE / "caveats.md", n_trials=N_TRIALS),
        "" if isinstance(question, str) else score_snippet(question).markdown,
    )


CHAPTERS = Chapters(
    "look_into",
    (
        Chapter("Accuracy of each method", Answer.main),
        Chapter("What is known of each bag", the_bags, title="What the computer sees"),
        Chapter("What an adversary can guess", the_adversary, title="What others can guess"),
        Chapter("Effect of added noise", noise.panels, noise_controls, [NOISE_ON], noise_on, for_specialists=True),
        Chapter(
            "Averages in place of records", curves.k_anonymity, means_controls, [MEANS], means_of, for_specialists=True
        ),
        Chapter("Effect of the number of bags", curves.number_of_bags, for_specialists=True),
        Chapter("Ways to fill bags", filling.panels, shows_main_control=False, for_specialists=True),
        Chapter("All results in a table", all_numbers, for_specialists=True),
    ),
    guess=GUESS,
)


PAGE = Page.from_folder(
    __name__,
    title="Only bag shares",
    question="Can a computer guess private facts from group percentages?",
    address="proportions",
    folds=standing_words,
    failed="Nothing can be learned here.",
    chapters=CHAPTERS,
)
