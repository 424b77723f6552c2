"""The answer of the training page: the trials of its question, the sentence, and every method’s scores."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pages.kit import cache, chosen, numbers, opendp, own_data
from pages.kit.numbers import count_trials, with_half, with_range
from pages.kit.snippet import Snippet
from pages.kit.trials import Job, Trials
from pages.topics.training.nearest import Nearest, nearest
from pages.topics.training.pixel_noise import DELTA, noise_of
from pages.topics.training.question import EM_TRIALS, Question
from privdemo.estimators import choose
from privdemo.experiments import training
from privdemo.experiments.training import N_STEPS, TrainingConfig, Trial
from privdemo.experiments.trials import with_trial
from privdemo.intervals import Estimate
from privdemo.mechanisms.pixels import family_of, level_of
from privdemo.methods import (
    CHOSEN,
    CLASSES,
    CLEAN,
    FLAT,
    LOW_RANK,
    NAIVE,
    PUBLISHED,
    RECONSTRUCTION,
    SPREAD,
    TRAINING,
    TRUE,
)
from privdemo.verdict import Verdict, judge

# The least difference in accuracy and in log loss that a reader sees.
LEAST_ACCURACY, LEAST_LOSS = 0.001, 0.01
# The sentence compares one way to correct for the noise with ignoring it: the first of these that was tried, whatever
# its scores. First the method chosen by cross-validation, then those that learn most from the releases; last the one
# that uses what nobody would know.
COMPARED_FIRST = (CHOSEN, CLASSES, LOW_RANK, SPREAD, FLAT, PUBLISHED, TRUE)

one_trial = cache.shared_or_private(training.run, max_entries=64, spinner="Releasing, training and testing once…")


@dataclass(frozen=True)
class Answer:
    """A question and its trials finished so far.

    Before the first is there, `trials` may be one at the `nearest` level computed beforehand, and the question is that
    of this level.
    """

    question: Question
    trials: list[Trial]
    nearest: Nearest | None = None

    @property
    def methods(self) -> tuple[str, ...]:
        """Return the methods that have been tried, clean data last."""
        tried = [name for name in TRAINING if any(name in trial.fits for trial in self.trials) and name != CLEAN]
        return (*tried, CLEAN)

    def score(self, method: str, metric: str) -> Estimate:
        """Return a method’s mean score over the trials."""
        return training.mean_score(self.trials, method, metric)

    @property
    def compared(self) -> tuple[str, ...]:
        """Return the two methods that the sentence compares, or the first that was tried, if any."""
        both = tuple(name for name in (method_compared(self.methods), NAIVE) if name in self.methods)
        return both or self.methods[:-1][:1]

    def accuracy(self, method: str) -> str:
        """Write a method’s accuracy: “92.0 ± 0.8 %”."""
        return with_half(self.score(method, "accuracy"))

    @property
    def facts(self) -> dict[str, str]:
        """Return the accuracy of the methods that the sentence compares by name, for the sentences of a lecture."""
        names = {"clean": CLEAN, "ignored": NAIVE, "corrected": method_compared(self.methods)}
        found = {
            name: numbers.share(self.score(method, "accuracy").mean)
            for name, method in names.items()
            if method in self.methods
        }
        return found | {"people": f"{len(self.question.config.classes) * self.question.config.n_train:,}"}

    def takeaway(self) -> str:
        """Say how many images the models name correctly, and at which level if it is not the visitor’s."""
        at = [f"{self.nearest.words}."] if self.nearest else []
        return self.question.in_its_words(" ".join([*at, _comparison_sentence(self), *_mostly_lies_words(self)]))


def method_compared(methods: Collection[str]) -> str:
    """Return which of these methods the page compares with ignoring the noise, or “” if none corrects for it."""
    return next((name for name in COMPARED_FIRST if name in methods), "")


def jobs(question: Question) -> list[Job]:
    """Return the background jobs: the quick methods, and the published EM in a slow job of its own."""
    config, quick = question.config, _without_published(question.config)
    # With a trial at a near level nobody waits for the first one.
    before = 1 if question.at_once and not nearest(quick) else 0
    tasks = [with_trial(quick, i) for i in range(before, question.n_trials)]
    at_once = (lambda: one_trial(quick)) if before else None
    found = [Job(("training", quick, before), "Trial", training.run, tasks, at_once)]
    if PUBLISHED in config.methods:
        slow = training.with_methods(config, (PUBLISHED,))
        tasks = [with_trial(slow, i) for i in range(min(question.n_trials, EM_TRIALS))]
        note = f", {N_STEPS} steps each"
        found.append(Job(("training", slow, 0), "The published EM", training.run, tasks, slow=True, note=note))
    return found


def _without_published(config: TrainingConfig) -> TrainingConfig:
    """Return a config without the published EM, which is slow."""
    return training.with_methods(config, tuple(name for name in config.methods if name != PUBLISHED))


def answer(question: Question, trials_so_far: Trials) -> Answer | None:
    """Merge the trials of all methods; before the first is there, take one at the nearest level computed beforehand.

    Raise ``ValueError`` with a sentence where there is nothing to learn from.
    """
    training.check_noise(question.config)
    quick, *slow = trials_so_far.results
    trials = training.merge(quick, slow[0]) if slow else list(quick)
    if trials:
        return Answer(question, trials)
    near = nearest(_without_published(question.config))
    return Answer(replace(question, config=near.trial.config, n_trials=1), [near.trial], near) if near else None


def waiting(question: Question) -> str:
    """Say what is being done before there is anything to show."""
    return question.in_its_words(
        f"<b>{len(question.config.methods)} models are being trained</b> on {people(question)}."
    )


# --- words ---------------------------------------------------------------------------------------


def people(question: Question) -> str:
    """Say who releases."""
    n = question.config.n_train
    if not question.of_two:
        kinds = "classes" if own_data.is_own(question.config) else "digits"
        return f"{n:,} people with each of the {kinds} {numbers.join_words(question.config.classes)}"
    first, second = question.config.classes
    if own_data.is_own(question.config):
        return f"{n:,} people of class “{first}” and {n:,} of class “{second}”"
    return f"{n:,} people with {numbers.with_article(first)} and {n:,} with {numbers.with_article(second)}"


def noise_words(question: Question) -> str:
    """Say what happens to each image and label, with the ε of both."""
    config, labels = question.config, question.config.labels
    wrong = 1 - labels.channel_matrix.diagonal()
    if wrong.min() == wrong.max():
        label = f"{numbers.percent(float(wrong[0]))} of labels are wrong"
    else:
        (first, second), (p10, p01) = config.classes, wrong.tolist()
        label = (
            f"{numbers.percent(p10)} of labels “{first}” are sent as “{second}”, {numbers.percent(p01)} of “{second}” "
            f"as “{first}”"
        )
    image = noise_of(config.pixels).words(config.pixels)
    return f"{image} and {label} (ε = {numbers.epsilon(labels.epsilon)})"


def released(answer: Answer) -> str:
    """Say who releases what."""
    return f"What {people(answer.question)} send: {noise_words(answer.question)}."


def _comparison_sentence(answer: Answer) -> str:
    """Say whether a model can learn from noise: how many of 100 clean images it names correctly by the methods that are
    compared, and how many if it had learned without noise.
    """
    named = {name: answer.score(name, "accuracy").mean for name in (*answer.compared, CLEAN)}
    right = {name: numbers.whole_per_hundred(share) for name, share in named.items()}
    tell = f"a computer learned to tell {distinguished_words(answer.question.config.classes)}"
    if not answer.compared or CLEAN in answer.compared:
        return f"Without noise {tell}. It names <b>{right[CLEAN]} of 100</b> new images correctly."
    luck = 1 / len(answer.question.config.classes)
    yes = numbers.how_far(max(named[name] for name in answer.compared), luck, named[CLEAN])
    weak = _weak_words(answer.question) if yes in ("Yes", "Partly") else ""
    if not (changed := _changed_words(answer)):
        between = " to ".join(dict.fromkeys(right[name] for name in sorted(answer.compared, key=named.__getitem__)))
        return (
            f"<b>{yes}{weak}.</b> It names <b>{between} of 100</b> new images correctly. From unchanged data, {tell}."
        )
    first, *others = answer.compared
    second = "".join(f", {right[name]} if it {_learns(name).replace('the changes', 'them')}" for name in others)
    unchanged = f"; {right[CLEAN]} if nothing is changed"
    return (
        f"<b>{yes}{weak}.</b> It names <b>{right[first]} of 100</b> new images correctly if it {_learns(first)}"
        f"{second}{unchanged}. {changed}{tell}."
    )


def _learns(method: str) -> str:
    """Say how a model of a method learns: “corrects for the changes”."""
    return _LEARNS.get(method, "corrects for the changes")


# How a model of a method learns that does not correct for what was changed.
_LEARNS = {
    NAIVE: "ignores the changes",
    RECONSTRUCTION: "guesses the true answers first",
    TRUE: "corrects for the changes, knowing how often clean pixels have each grey",
}


def _weak_words(question: Question) -> str:
    """Say that the noise hides little, on a pixel or on the labels; else return an empty string."""
    pixels, labels = question.config.pixels, question.config.labels
    if not level_of(pixels) and math.isinf(labels.epsilon):
        return ", but nobody is protected"
    is_weak = pixels.epsilon_at(DELTA) >= numbers.WEAK_FROM or math.isinf(labels.epsilon)
    return ", but people are hardly protected with these settings" if is_weak else ""


def _changed_words(answer: Answer) -> str:
    """Say what was changed at random of what so many people sent: pixels, labels or both; empty if nothing was."""
    question, people = answer.question, answer.facts["people"]
    share = float(1 - question.config.labels.channel_matrix.diagonal().mean())
    pixels = question.config.pixels
    part = f"about {numbers.percent(level_of(pixels))} of" if family_of(pixels).replaces_pixels else "all"
    of_two = question.of_two and not own_data.is_own(question.config)
    classes = f" ({' or '.join(f'“{name}”' for name in question.config.classes)})" if of_two else ""
    changed = [f"{part} the {'values' if question.of_table else 'pixels'}"] if level_of(pixels) else []
    changed += [f"{numbers.percent(share)} of the labels{classes}"] if share else []
    if not changed:
        return ""
    return f"To hide what each of {people} people sent, {' and '.join(changed)} were changed at random. From these, "


def distinguished_words(classes: Sequence[str]) -> str:
    """Say which classes are told apart: “7 from 9”, “0, 1 and 2 apart”."""
    return " from ".join(classes) if len(classes) == 2 else f"{numbers.join_words(tuple(classes))} apart"


def gap(answer: Answer, metric: str) -> Estimate:
    """Return by how much the first of two methods’ score is above the second’s, on the same trials."""
    return training.difference(answer.trials, *answer.compared, metric)


def _trials_of_both(answer: Answer) -> list[Trial]:
    """Return the trials in which both of two methods were tried."""
    first, second = answer.compared
    return training.having(training.having(answer.trials, first), second)


def _mostly_lies_words(answer: Answer) -> list[str]:
    """Say why ignoring the noise is worse than a coin where more than half of a class lie."""
    channel = answer.question.config.labels.channel_matrix
    if NAIVE not in answer.methods or channel[0, 0] >= channel[0, 1]:
        return []
    first, second = answer.question.config.classes
    return [f"More labels lie than not, so whoever ignores the noise takes “{second}” for “{first}”."]


def compare(answer: Answer) -> str:
    """Compare two methods on the same trials by accuracy and log loss, and say whether the difference is clear."""
    trials, accuracy = _trials_of_both(answer), gap(answer, "accuracy")
    return compare_words(
        judge(accuracy, len(trials), least=LEAST_ACCURACY),
        judge(gap(answer, "log_loss"), len(trials), least=LEAST_LOSS, lower_is_better=True),
        abs(accuracy.mean),
        {name: training.mean_score(trials, name, "log_loss").mean for name in answer.compared},
        count_trials(trials),
    )


def compare_words(accuracy: Verdict, loss: Verdict, gap: float, losses: Mapping[str, float], where: str) -> str:
    """Say how the first of two methods compares with the second: by accuracy, `gap` apart, and by confidence.

    `losses` has the log loss of both.
    """
    (ours, our_loss), (theirs, their_loss) = ((f"“{TRAINING[name].title}”", mark) for name, mark in losses.items())
    numbers_of = f"(log loss {our_loss:.2f} and {their_loss:.2f})"
    if accuracy is Verdict.TOO_FEW:
        return f"{where.capitalize()} cannot tell whether {ours} or {theirs} is better {numbers_of}."
    better, worse = (theirs, ours) if accuracy is Verdict.WORSE else (ours, theirs)
    first = (
        f"Over {where} {better} is more accurate than {worse} by {numbers.absolute_points(gap)}"
        if accuracy.clear
        else f"Over {where} {ours} and {theirs} are statistically tied in accuracy"
    )
    if not loss.clear:
        return f"{first}; in saying how sure they are they do not clearly differ {numbers_of}."
    ahead = "first" if (loss is Verdict.BETTER) == (better == ours) else "second"
    joint = "and" if accuracy is loss else "but"
    one, other = (our_loss, their_loss) if better == ours else (their_loss, our_loss)
    return (
        f"{first}, {joint} the {ahead} is better at saying how sure it is (log loss {one:.2f} and "
        f"{other:.2f}; 0 is perfect)."
    )


def score_words(answer: Answer) -> str:
    """List every method’s scores, and explain the figure’s marks."""
    trials = answer.trials
    marks = "; ".join(
        f"{TRAINING[name].title} {with_range(answer.score(name, 'accuracy'))}, log loss "
        f"{answer.score(name, 'log_loss').mean:.3f}, Brier score {answer.score(name, 'brier').mean:.3f}"
        for name in answer.methods
    )
    n_classes = len(answer.question.config.classes)
    nothing = "a coin" if n_classes == 2 else f"a guess among {n_classes} classes"
    over = (
        f"95 % intervals over {len(trials)} trials"
        if len(trials) > 1
        else "95 % intervals over the test images of one trial, which leave out the luck in who was sampled"
    )
    if PUBLISHED in answer.methods:
        over += f" ({TRAINING[PUBLISHED].title}: {count_trials(training.having(trials, PUBLISHED))})"
    return (
        f"Accuracy on {len(trials[0].y):,} clean test images: {marks}. {over}. Solid line: clean data. Dotted line: "
        f"{nothing}, whose log loss is ln {n_classes} = {math.log(n_classes):.3f}.{_collapse_words(answer)}"
    )


def _collapse_words(answer: Answer) -> str:
    """Say which methods have collapsed to one class, and why."""
    ended = {name: n for name in answer.methods if (n := training.n_constant_predictions(answer.trials, name))}
    words = []
    own_guesses = {name: ended.pop(name) for name in (RECONSTRUCTION,) if name in ended}
    if own_guesses:
        words.append(
            f"{_methods_with_counts(answer, own_guesses)} gives nearly every image the same answer: it learns from its "
            "own guesses, and grows ever more certain of them."
        )
    if ended:
        words.append(
            f"{_methods_with_counts(answer, ended)} {'gives' if len(ended) == 1 else 'give'} nearly every image the "
            "same answer: so little shows through the noise that almost nothing is learnt."
        )
    return "".join(words)


def chosen_words(answer: Answer) -> str:
    """Say what the choosing method chose and how often; empty if that method is not among the trials’."""
    return chosen.describe_fits(answer.trials, CHOSEN, {choose.LOW_RANK: "strokes"})


def _methods_with_counts(answer: Answer, ended: Mapping[str, int]) -> str:
    """List methods, each with the number of trials in which it has collapsed to one class."""
    n = len(answer.trials)
    often = {name: "" if n == 1 else f" (in {times} of {n} trials)" for name, times in ended.items()}
    words = numbers.join_words(tuple(f"{TRAINING[name].title}{times}" for name, times in often.items()))
    return f" In this trial {words}" if n == 1 else f" {words[0].upper()}{words[1:]}"


def opendp_lines(question: Question) -> Snippet | None:
    """Return the lines for OpenDP that randomise a pixel and a label as people do."""
    return opendp.snippet(DELTA, pixel=question.config.pixels, label=question.config.labels)


def snippet(question: Question) -> Snippet:
    """Return the code that runs the trials."""
    config = question.config
    quick = training.with_methods(config, tuple(name for name in config.methods if name != PUBLISHED))
    trials_so_far = own_data.snippet(
        quick,
        question.own_file,
        "from privdemo.experiments import training",
        "from privdemo.experiments.trials import with_trial",
        "from privdemo.experiments.training import TrainingConfig",
        "from privdemo.mechanisms import BinaryChannel, GaussianNoise, RandomisedResponse",
    ).then(f"trials = [training.run(with_trial(config, i)) for i in range({question.n_trials})]")
    if PUBLISHED not in config.methods:
        return trials_so_far
    n = min(question.n_trials, EM_TRIALS)
    return trials_so_far.then(
        f'slow = training.with_methods(config, ("{PUBLISHED}",))  # about a minute a trial',
        f"trials = training.merge(trials, [training.run(with_trial(slow, i)) for i in range({n})])",
    )


def print_scores(question: Question) -> Snippet:
    """Return the code that runs the trials and prints every method’s scores."""
    return snippet(question).then(
        "for method in trials[0].fits:",
        '    print(method, training.mean_score(trials, method, "accuracy"), '
        'training.mean_score(trials, method, "log_loss"))',
    )
