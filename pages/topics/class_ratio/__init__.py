"""The page on class ratios: what is this group made of?"""

from pathlib import Path

from pages.kit import folds, numbers
from pages.kit.page import Chapter, Chapters, Page
from pages.topics.class_ratio import figures, sets
from pages.topics.class_ratio.answer import GUESS, Answer, print_errors
from pages.topics.class_ratio.chapters import all_numbers, other_mixes, the_adversary
from pages.topics.class_ratio.controls import figure_2_controls, figure_3_controls
from pages.topics.class_ratio.question import CURVES, FIGURE_2, FIGURE_3, Question, figure_2_curves, figure_3_curves
from privdemo.experiments.class_ratio import N_FEATURES, TEST_SHARE
from privdemo.experiments.results import N_TRIALS

_HERE = Path(__file__).parent


def standing_words(question: Question | str, _: Answer | None = None) -> dict[str, str]:
    """Return how it works, what the adversary sees, the caveats and the code, as Markdown by title."""
    return folds.folds(
        folds.read(_HERE / "how.md", n_features=f"{N_FEATURES:,}"),
        folds.read(_HERE / "adversary.md"),
        folds.read(_HERE / "caveats.md", test_share=numbers.share(TEST_SHARE, 0), n_trials=N_TRIALS),
        "" if isinstance(question, str) else print_errors(question).markdown,
    )


CHAPTERS = Chapters(
    "ratio_look",
    (
        Chapter("Share found by each method", Answer.main),
        Chapter("Error for each true share", other_mixes),
        Chapter("What an adversary can guess", the_adversary, shows_main_control=False, title="What others can guess"),
        Chapter(
            "The paper’s test: two classes",
            figures.two_classes,
            figure_2_controls,
            [FIGURE_2, CURVES],
            figure_2_curves,
            shows_main_control=False,
            for_specialists=True,
            title="A paper’s test with two classes",
        ),
        Chapter(
            "Error if the counts have noise",
            figures.private_counts,
            figure_3_controls,
            [FIGURE_3, CURVES],
            figure_3_curves,
            shows_main_control=False,
            for_specialists=True,
        ),
        Chapter("Which known groups work best", sets.which_sets, for_specialists=True),
        Chapter("All results in a table", all_numbers, for_specialists=True),
    ),
    guess=GUESS,
)


PAGE = Page.from_folder(
    __name__,
    title="Share of a group",
    question="Can we work out a percentage that nobody told us?",
    address="class_ratio",
    folds=standing_words,
    failed="Nothing can be found here.",
    chapters=CHAPTERS,
    shows_images=True,
)
