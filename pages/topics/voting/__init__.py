"""The page on a poll in which people lie by chance: how many voted for A?"""

from collections.abc import Mapping
from pathlib import Path

from pages.kit import folds, numbers
from pages.kit.page import Chapter, Chapters, Page
from pages.topics.voting import adversary, candidates, designs, disobedience, naive_training, price, six_questions
from pages.topics.voting.answer import GUESS, Answer, one_polls_estimates, poll_snippet
from pages.topics.voting.chapters import guessing_each_vote, many_polls
from pages.topics.voting.controls import (
    designs_controls,
    disobedience_controls,
    many_answers_controls,
    many_polls_controls,
    naive_controls,
    one_answer_controls,
    one_poll_controls,
    plan_controls,
    quiz_controls,
    shares_controls,
)
from pages.topics.voting.question import (
    ASKED,
    NAIVE_SETTINGS,
    PART,
    PLAN_SETTINGS,
    PLAN_WIDTH,
    PRIOR,
    SAID,
    SHARES,
    WAY,
    naive_config,
    typed_shares,
)
from privdemo.experiments import voting
from privdemo.experiments.voting import ElectionConfig

_HERE = Path(__file__).parent


def standing_words(config: ElectionConfig, _: Answer) -> Mapping[str, str]:
    """Return how it works, what the adversary sees, the caveats and the code, as Markdown by title."""
    which = (
        "These lines hold the polls and plot the figures of the last one; the other figures have theirs beside them."
    )
    return folds.folds(
        folds.read(_HERE / "how.md", misprint=misprint_words(config)),
        adversary.standing_words(config.channel),
        folds.read(_HERE / "caveats.md"),
        f"{which}\n{poll_snippet(config).markdown}",
    )


def misprint_words(config: ElectionConfig) -> str:
    """Say where the paper’s formula, as printed, leads for these settings; empty where it makes no difference."""
    if not (config.channel.contrast and config.channel.p10):
        return ""
    return (
        f" With your setting and a true share of {numbers.share(config.share)} the printed formula tends to "
        f"{numbers.share(voting.limit_as_printed(config))}."
    )


CHAPTERS = Chapters(
    "lesson",
    (
        Chapter("One poll", Answer.main, one_poll_controls),
        Chapter("Ways to estimate", one_polls_estimates),
        Chapter("Many polls", many_polls, many_polls_controls),
        Chapter("How many to ask", price.panels, plan_controls, PLAN_SETTINGS, price.plan_of),
        Chapter(
            "Some do not play along",
            disobedience.panels,
            disobedience_controls,
            [PART, WAY],
            disobedience.choice_of,
            title="If some ignore the rules",
        ),
        Chapter(
            "What one answer reveals",
            adversary.one_answer,
            one_answer_controls,
            [PRIOR, SAID],
            adversary.prior_and_answer,
        ),
        Chapter(
            "Asking a person again",
            adversary.many_answers,
            many_answers_controls,
            [PRIOR, ASKED],
            adversary.prior_and_number,
        ),
        Chapter("Quiz", six_questions.panels, quiz_controls, shows_main_control=False),
        Chapter("Why counting guessed votes fails", guessing_each_vote, for_specialists=True),
        Chapter(
            "Other ways to ask", designs.panels, designs_controls, [PLAN_WIDTH], designs.choice_of, for_specialists=True
        ),
        Chapter(
            "More than two candidates", candidates.panels, shares_controls, [SHARES], typed_shares, for_specialists=True
        ),
        Chapter(
            "Training on changed labels",
            naive_training.panels,
            naive_controls,
            NAIVE_SETTINGS,
            naive_config,
            shows_main_control=False,
            for_specialists=True,
        ),
    ),
    guess=GUESS,
)


PAGE = Page.from_folder(
    __name__,
    title="Voting with a lie",
    question="How many voted for A?",
    address="voting",
    folds=standing_words,
    chapters=CHAPTERS,
)
