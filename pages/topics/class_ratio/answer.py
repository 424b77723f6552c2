"""The answer of the page on class ratios: its trials, the sentence, and the shares that methods estimate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pages.kit import cache, numbers, opendp, own_data
from pages.kit.numbers import LOSS, count_trials, with_half, with_range
from pages.kit.panel import Chart, Markup, Panel, Prediction, Scale
from pages.kit.snippet import Snippet
from pages.kit.trials import Job, Trials, one_job
from pages.topics.class_ratio.question import (
    LARGE,
    Question,
    can_be_guessed,
    first_class_words,
)
from privdemo import palette
from privdemo.experiments import class_ratio
from privdemo.experiments.class_ratio import FULLY_LABELLED_METHODS, NO_RELEASE, SHARES, Trial
from privdemo.experiments.class_ratio.score import MOST_DISTANCE
from privdemo.figures import class_ratio as charts
from privdemo.figures.bag import ComparedSet, sets_html
from privdemo.mechanisms.label_counts import RELEASES, calibrate
from privdemo.methods import CLASS_RATIO, COUNT, EM, IDENTITY, MMD, PCC, PSVM, RFF, SPREAD, by_trying
from privdemo.tasks import Task, counting_task
from privdemo.verdict import Verdict, judge

# The name of the guess that the page begins with.
GUESS = "share-of-set"
# How an L1 error, a distance of two mixes, is written.
L1 = LOSS._replace(most=MOST_DISTANCE)
# By how much an estimated share may be off that is near the truth, or roughly right.
_NEAR, _ROUGHLY = 0.05, 0.15
# If a set's common class leads the others by less, the sets are nearly alike.
LEAST_LEAD = 0.1

one_trial = cache.shared_or_private(
    class_ratio.run, max_entries=64, spinner="Choosing groups, training and asking once…"
)


class_images = cache.shared_or_private(class_ratio.class_images, max_entries=64)


@dataclass(frozen=True)
class Answer:
    """A question and its trials finished so far."""

    question: Question
    trials: tuple[Trial, ...]

    @property
    def methods(self) -> tuple[str, ...]:
        """Return the methods that were tried, in their order."""
        return tuple(name for name in CLASS_RATIO if name in self.trials[0].fits)

    @property
    def task(self) -> Task:
        """Return the data set’s task, with its words."""
        return counting_task(self.question.config.dataset)

    def takeaway(self) -> str:
        """Say what is estimated for the first class, and which method is closer over all mixes."""
        return takeaway(self)

    def main(self) -> list[Panel]:
        """Return the panel of what every method finds for the first class, and how.

        Of more than two classes, another follows on what it finds for each.
        """
        trials, methods = self.trials, self.methods
        found = _found_panel(self)
        if self.question.config.n_classes == 2:
            return [found]
        mix = Panel(
            "shares",
            figure=Chart(
                charts.proportions(
                    trials, methods, class_images(self.question.config.dataset, self.question.config.chosen_classes)
                )
            ),
            summary=shares_words(self),
            rows=lambda: class_ratio.table(trials),
            snippet=print_errors(self.question),
        )
        return [found, mix]


# How each method finds the shares: {records} are what is counted, of which {kept_back} is unknown in the set {target}.
HOW = {
    SPREAD: "takes the group as a hint: each kind is as likely as its share of the group",
    by_trying(SPREAD): (
        "takes the group as a hint: each kind is as likely as its share of the group; or models how each kind looks, "
        "whichever explains the groups better"
    ),
    MMD: "mixes the known groups until the mixture looks like {target}",
    RFF: "mixes other averages of the known groups until they are like those of {target}, quicker and less exact",
    IDENTITY: "learns which group {records} are from; compares its answers for {target} and for the known groups",
    COUNT: "learns to sort {records} so that each group gets its known share, then sorts and counts {target}",
    PSVM: "finds the widest border that gives each group its known share, then counts {target}",
    EM: "is told the {kept_back} of all {records} in the known groups",
    PCC: "is told the {kept_back} of all {records} in the known groups; names each of {target}, and counts",
}
# The same where two sets are given of two classes: the share of {one} is {first} in one and {second} in the other.
HOW_OF_TWO = {
    SPREAD: "takes the group as a hint: {one} with a chance of {first} in group 1, of {second} in group 2",
    COUNT: "learns a rule that finds {one} for {first} of group 1 and {second} of group 2, then applies it to {target}",
}
# How many known sets are shown.
_MOST_SETS = 3


def _found_panel(answer: Answer) -> Panel:
    """Return the panel of what is given, and of what each method finds for the first class, and how."""
    found = {name: class_ratio.share_of(answer.trials, name, 0) for name in answer.methods}
    truth = float(answer.trials[0].truth[0])
    rows = [
        charts.Found(
            _title(answer, name),
            how_words(answer, name),
            palette.TRUTH.colour if name in FULLY_LABELLED_METHODS else palette.SPREAD.colour,
            estimate,
            numbers.share(estimate.mean),
            _near_words(estimate.mean - truth),
            f"95 % interval of this mean: {numbers.interval(estimate)}" if estimate.known else "",
            abs(estimate.mean - truth) <= _NEAR,
        )
        for name, estimate in found.items()
    ]
    title = f"How many of {_target(answer)} {first_class(answer)}? What each method finds:"
    given = _given(answer)
    figure = charts.answers_html(given, rows, title, _marks_words(answer))
    return Panel(
        "methods",
        figure=Markup(figure),
        summary=f"{given_words(answer)} {known_sets_words(answer)} {shares_words(answer)}{compare(answer)}",
        rows=lambda: [
            {"method": CLASS_RATIO[name].title, "how": row.how} | row.estimate._asdict()
            for name, row in zip(found, rows, strict=True)
        ],
        snippet=snippet(answer.question).then(
            "for method in trials[0].fits:", "    print(method, class_ratio.share_of(trials, method, 0))"
        ),
        note=numbers.large_delta_words(answer.question.n_records, answer.question.config.delta)
        if answer.question.config.private
        else "",
        prediction=_prediction(answer),
    )


def _prediction(answer: Answer) -> Prediction | None:
    """Return the guess of the share that is wanted, from what anybody may see of the sets.

    Return None where it cannot be guessed: see `can_be_guessed`.
    """
    config, truth = answer.question.config, float(answer.trials[0].truth[0])
    if not can_be_guessed(config):
        return None
    hint = _hint(answer)
    blind = [name for name in answer.methods if name not in FULLY_LABELLED_METHODS]
    task, first = answer.task, first_class(answer)
    is_secret = config.private or _is_mixed(answer)
    which = f", but not which {task.records}" if is_secret else ""
    noisy = " (with noise)" * config.private
    told = f"we are told {'only ' * bool(which)}what percentage{noisy} of group 1 and of group 2 {first}"
    why = "To protect people, " if task.records == "people" and which else ""
    also = f"also use {task.details}" if task.details else f"use the {task.records} themselves"
    found = (class_ratio.share_of(answer.trials, name, 0).mean for name in blind)
    nearest, *others = sorted(found, key=lambda share: abs(share - truth))
    farther = numbers.join_words(tuple(numbers.share(share) for share in others))
    n_trials = len(answer.trials)
    average = f", averaged over {n_trials} trials" if n_trials > 1 else ""
    rest = f"The other finds {farther}" if len(others) == 1 else f"The others find {farther}"
    return Prediction(
        GUESS,
        f"{numbers.capital(why + told)}{which}. <b>What percentage of {_target(answer)} {first}?</b> {hint.name}.",
        100 * truth,
        Scale(0, 100, 1, " %"),
        hint.picture,
        f"The closest of {len(blind)} methods, which {also}, finds {numbers.share(nearest)}{average}. {rest}.",
        f"Your guess: the percentage of {_target(answer)} {_who(answer)} {first}",
    )


class _Hint(NamedTuple):
    """What anybody may see of the sets, from which one may guess their shares: the advice to do so, and a picture."""

    name: str
    picture: Markup


def _hint(answer: Answer) -> _Hint:
    """Return how many records of each set of the first trial have a trait, or the average of its images."""
    config, task, averages = answer.question.config, answer.task, answer.trials[0].averages
    dataset = class_ratio.records(config.dataset, config.chosen_classes)
    sets, wanted = _compared_sets(answer), f"{_who(answer)} {first_class(answer)}"
    if task.trait:
        fields, trait = task.trait
        shares = averages[:, [dataset.feature_names.index(field) for field in fields]].sum(axis=1).tolist()
        sets = [
            one._replace(trait_words=numbers.share(share, 0), trait_share=share)
            for one, share in zip(sets, shares, strict=True)
        ]
        return _Hint(f"Use how many {trait} as a clue", Markup(sets_html(sets, wanted, f"{_who(answer)} {trait}")))
    assert dataset.image_shape
    sets = [
        one._replace(image=average.reshape(dataset.image_shape)) for one, average in zip(sets, averages, strict=True)
    ]
    return _Hint("Use the groups’ average images as a clue", Markup(sets_html(sets, wanted, "average of all images")))


def _compared_sets(answer: Answer) -> list[ComparedSet]:
    """Return the known sets and the one whose share is wanted, without what anybody may see of them."""
    config, records = answer.question.config, answer.task.records
    noisy = " (with noise)" * config.private
    known = [
        ComparedSet(f"Group {n}: {config.set_size:,} {records}", f"{numbers.share(share, 0)}{noisy}", share)
        for n, share in enumerate((float(row[0]) for row in answer.trials[0].released), 1)
    ]
    return [*known, ComparedSet(f"Group {len(known) + 1}: {config.n_test:,} other {records}", "? %", None)]


def _who(answer: Answer) -> str:
    return "who" if answer.task.records == "people" else "that"


def how_words(answer: Answer, method: str) -> str:
    """Say how a method finds the shares; with the numbers of the sets, where there are two of two classes."""
    records, released, labels = answer.task.records, answer.trials[0].released, class_labels(answer)
    words = {"records": records, "target": _target(answer), "kept_back": answer.task.kept_back}
    if method in HOW_OF_TWO and len(released) == len(labels) == 2:
        first, second = (numbers.share(float(row[0]), 0) for row in released)
        one = labels[0] if records == "images" else f"“{labels[0]}”"
        return HOW_OF_TWO[method].format(**words, one=one, first=first, second=second)
    return HOW[method].format(**words)


def jobs(question: Question) -> list[Job]:
    """Return the job that runs the trials in the background; with many records it leaves a process free for others."""
    return one_job("ratio", question, class_ratio.run, one_trial, slow=question.n_records > LARGE)


def answer(question: Question, trials_so_far: Trials) -> Answer | None:
    """Return the answer from the trials so far, or None if there are none."""
    (trials,) = trials_so_far.results
    return Answer(question, trials) if trials else None


def _given(answer: Answer) -> charts.Given:
    """Return what is given: sets of which the share of the first class is known, and records of which it is not."""
    config, records, released = answer.question.config, answer.task.records, answer.trials[0].released
    labels, noisy = class_labels(answer), " (with noise)" * config.private
    return charts.Given(
        told=f"The computer is told the percentages{noisy} in {len(released)} groups of {config.set_size:,} {records}:",
        shares=[float(row[0]) for row in released[:_MOST_SETS]],
        n_more=max(0, len(released) - _MOST_SETS),
        truth=float(answer.trials[0].truth[0]),
        classes=(labels[0], labels[1] if len(labels) == 2 else "all others"),
        pictures=class_images(config.dataset, config.chosen_classes)[:2] if len(labels) == 2 else (),
    )


def _target(answer: Answer) -> str:
    """Return what the group is called of which the share is wanted: “group 3”, after the known ones."""
    return f"group {len(answer.trials[0].released) + 1}"


def class_labels(answer: Answer) -> list[str]:
    """Return the names of the classes, of digits as plurals."""
    return [f"{label}s" if label.isdigit() else label for label in answer.question.config.labels]


def _title(answer: Answer, method: str) -> str:
    """Return the name of a method, with what is known of records in place of “labels”."""
    return CLASS_RATIO[method].title.replace("labels known", f"{answer.task.kept_back} known")


def _marks_words(answer: Answer) -> str:
    """Explain the marks beside the methods."""
    n = len(answer.trials)
    bars = "one simulated trial"
    if n > 1:
        found = (class_ratio.share_of(answer.trials, name, 0) for name in answer.methods)
        off = max(max(one.high - one.mean, one.mean - one.low) for one in found)
        bars = (
            f"averages of {n} trials with different {answer.task.records}, uncertain by up to ± {100 * off:.1f} points"
        )
    return f"Bars: {bars}; a full bar is 100 %. Pale: off by more than {100 * _NEAR:g} percentage points."


def _near_words(error: float) -> str:
    """Say whether a share is near the truth, and how far it is off."""
    return f"{'close' if abs(error) <= _NEAR else 'misses'}: {off_words(error)}"


def off_words(error: float) -> str:
    """Say how far a share is off, as it is written: “1.9 points too high”."""
    points = round(100 * error, 1)
    if not points:
        return "off by less than 0.1 points" if error else "exactly right"
    return f"{abs(points):.1f} points too {'high' if points > 0 else 'low'}"


# --- words ---------------------------------------------------------------------------------------


def waiting(question: Question) -> str:
    """Say what is being done before there is anything to show."""
    config = question.config
    n_sets, records = 2 * config.copies * config.n_classes, counting_task(config.dataset).records
    slow = MMD in config.methods and question.n_records > LARGE
    large = f" With so many, {CLASS_RATIO[MMD].title} takes a minute or two a trial." if slow else ""
    return f"<b>{n_sets} groups of {config.set_size:,} {records}</b> are being chosen and learned from.{large}"


def takeaway(answer: Answer) -> str:
    """Say which share of new records is of the first class, and what the nearest method finds."""
    config, trials = answer.question.config, answer.trials
    truth = trials[0].truth[0]
    blind = [name for name in answer.methods if name not in FULLY_LABELLED_METHODS]
    found = {name: class_ratio.share_of(trials, name, 0) for name in blind or answer.methods}
    nearest, *others = sorted(found, key=lambda name: abs(found[name].mean - truth))
    records, best = answer.task.records, f"“{CLASS_RATIO[nearest].title}”"
    best = f"the closest of {len(found)} methods" if others else best
    says = (
        f"In this test <b>{numbers.share(truth)}</b> of {config.n_test:,} other {records} {first_class(answer)}; "
        f"{best} says <b>{numbers.share(found[nearest].mean)}</b>"
    )
    if not blind:
        return f"{says}.{_noisy_counts_words(answer)}{_lost_words(answer)}"
    alike = f"{_lost_words(answer)}{_alike_words(answer)}"
    verdict = "" if alike else f"<b>{_verdict_words([abs(share.mean - truth) for share in found.values()])}.</b> "
    return f"{verdict}{_known_words(answer)} {says}.{_noisy_counts_words(answer)}{alike}"


def _verdict_words(errors: Sequence[float]) -> str:
    """Answer whether the share can be told, from every method's error: “Yes, but only 1 of 3 methods comes close
    here”.
    """
    n_near, n = sum(error <= _NEAR for error in errors), len(errors)
    if n_near == n:
        return "Yes"
    if n_near:
        return f"Yes, but only {n_near} of {n} methods {'comes' if n_near == 1 else 'come'} close here"
    none = "no method comes" if n > 1 else "the method does not come"
    return f"{'Only roughly' if min(errors) <= _ROUGHLY else 'No'}: {none} close"


def _know(answer: Answer) -> str:
    """Return how we know the shares of the sets: “know”, or “are told, with noise,”."""
    return "are told, with noise," if answer.question.config.private else "know"


def _known_words(answer: Answer) -> str:
    """Say what alone is known: “We know that in one set of messages 70 % are spam and in another 30 %, but not
    which messages those are.”
    """
    released, records = answer.trials[0].released, answer.task.records
    if len(released) == 2:
        one, other = (numbers.share(float(row[0]), 0) for row in released)
        which = ", but not who" if records == "people" else f", but not which {records} those are"
        which *= _is_mixed(answer)
        known = f"in one group of {records} {one} {first_class(answer)} and in another {other}"
        return f"We {_know(answer)} that {known}{which}."
    return f"We {_know(answer)} the shares in {len(released)} groups of {records}, but not which {records} those are."


def _is_mixed(answer: Answer) -> bool:
    """Return whether a known set holds several classes, so that its share does not say what each record is."""
    return any(0 < share < 1 for row in answer.trials[0].proportions for share in row)


def given_words(answer: Answer) -> str:
    """Say what is given beside the group: sets of other records, of which only the shares are known."""
    released, first = answer.trials[0].released, first_class(answer)
    if len(released) == 2:
        one, other = (numbers.share(float(row[0]), 0) for row in released)
        return f"Given are two other groups: {one} of group 1 {first} and {other} of group 2."
    return f"Given are {len(released)} other groups, and how much of each is of each class."


def first_class(answer: Answer) -> str:
    """Say what records of the first class are: “show a 7”."""
    config = answer.question.config
    return first_class_words(config.dataset, config.n_classes)


def _noisy_counts_words(answer: Answer) -> str:
    """Say what noise on the counts of the known sets promises, if there is any."""
    config, trial = answer.question.config, answer.trials[0]
    if not config.private:
        return ""
    times = max(some.most_sets for some in answer.trials)
    promise = f"ε = {numbers.epsilon(config.epsilon)}, δ = {numbers.power_of_ten(config.delta)}"
    if RELEASES[config.release].data_dependent:
        promise = f"no guarantee: it is chosen from the secret counts for {promise}"
    elif not trial.holds:
        promise = f"its promise of {promise} is broken"
    elif times > 1:
        promise = f"{promise}; {times} times that for records in {times} groups"
    return f" The counts of the groups have noise ({promise})."


def compare(answer: Answer) -> str:
    """Say which of two methods without labels is closer, on the same trials and all mixes."""
    kernel = next((name for name in (MMD, RFF) if name in answer.methods), None)
    if SPREAD not in answer.methods or kernel is None:
        return ""
    verdict = judge(class_ratio.difference(answer.trials, SPREAD, kernel), len(answer.trials), lower_is_better=True)
    return compare_words(verdict, kernel, count_trials(answer.trials))


def compare_words(verdict: Verdict, kernel: str, where: str) -> str:
    """Say which of two methods is closer over all mixes, in so many trials."""
    if verdict is Verdict.TOO_FEW:
        return f" {where.capitalize()} cannot tell which is closer."
    if not verdict.clear:
        return " Over all mixes the two are statistically tied."
    return f" Over all mixes, {CLASS_RATIO[SPREAD if verdict is Verdict.BETTER else kernel].title} is closer."


def _alike_words(answer: Answer) -> str:
    """Warn if the sets are nearly alike; else return an empty string."""
    row = answer.trials[0].proportions[0]
    if row.max() - row.min() > LEAST_LEAD:
        return ""
    return (
        f" <b>The groups are nearly alike</b> (the common class has {numbers.share(row.max())}, the others "
        f"{numbers.share(row.min())}), so hardly anything can be learned."
    )


def _lost_words(answer: Answer) -> str:
    """Say in how many trials the noise makes all sets look alike."""
    lost = [trial for trial in answer.trials if trial.problem]
    return f" In {count_trials(lost)} the noise makes all groups look alike." if lost else ""


def _noise_words(answer: Answer) -> str:
    """Say how far the noise moves the mixes of the known sets, if there is any."""
    if not answer.question.config.private:
        return ""
    moved = sum(trial.distortion for trial in answer.trials) / len(answer.trials)
    return f" {answer.trials[0].noise} moves the mix of a known group by {numbers.distance(moved)} (L1)."


def shares_words(answer: Answer) -> str:
    """List every method’s shares, and explain the figure’s marks."""
    config, trials = answer.question.config, answer.trials
    classes = config.labels
    some = range(min(3, len(classes)))
    marks = "; ".join(
        f"{_title(answer, name)} finds "
        + ", ".join(f"{classes[c]}: {with_half(class_ratio.share_of(trials, name, c))}" for c in some)
        + f", L1 error {with_range(class_ratio.error(trials, name), L1)}"
        for name in answer.methods
    )
    true = ", ".join(f"{classes[c]}: {numbers.share(trials[0].truth[c])}" for c in some)
    more = " and so on" if len(classes) > 3 else ""
    return (
        f"True shares, {true}{more}. {marks[:1].upper()}{marks[1:]}. {interval_basis_words(answer)}; the grey line is "
        f"the truth.{_noise_words(answer)}"
    )


def interval_basis_words(answer: Answer) -> str:
    """Say what the intervals are over."""
    n = len(answer.trials)
    return f"95 % intervals over {n} trials" if n > 1 else "One trial, so no interval is known"


def known_sets_words(answer: Answer) -> str:
    """Say what is known of the sets that the methods learn from."""
    config = answer.question.config
    n_sets = 2 * config.copies * config.n_classes
    return (
        f"Every method but “{CLASS_RATIO[EM].title}” learns from {n_sets} groups of {config.set_size:,} "
        f"{answer.task.records}, of which only the share of each class is known; half of them serve to choose settings."
    )


def mean_words(answer: Answer) -> str:
    """List every method’s mean error over all mixes."""
    errors = "; ".join(
        f"{CLASS_RATIO[name].title} {with_range(class_ratio.mean_error(answer.trials, name), L1)}"
        for name in answer.methods
    )
    return (
        f"Mean L1 error over {len(SHARES)} new groups, with from {numbers.share(SHARES[0], 0)} to "
        f"{numbers.share(SHARES[-1], 0)} of the first class: {errors}. {interval_basis_words(answer)}. They are other "
        "groups than yours."
    )


def opendp_lines(question: Question) -> Snippet | None:
    """Return the lines for OpenDP that add the noise of the release to the counts of a set."""
    config = question.config
    if config.release == NO_RELEASE:
        return None
    try:
        mechanism = calibrate(config.release, config.epsilon, config.delta, config.counts(), config.n_min)
    except ValueError:  # the page says why there is no such noise
        return None
    return opendp.snippet(config.delta, counts=mechanism)


def snippet(question: Question) -> Snippet:
    """Return the code that runs the trials."""
    return own_data.snippet(
        question.config,
        question.own_file,
        "from privdemo.experiments import class_ratio",
        "from privdemo.experiments.class_ratio import RatioConfig",
        "from privdemo.experiments.trials import with_trial",
    ).then(f"trials = [class_ratio.run(with_trial(config, i)) for i in range({question.n_trials})]")


def print_mean_errors(question: Question) -> Snippet:
    """Return the code that prints every method’s mean error over all mixes."""
    return snippet(question).then(
        "for method in trials[0].fits:", "    print(method, class_ratio.mean_error(trials, method))"
    )


def print_errors(question: Question) -> Snippet:
    """Return the code that prints every method’s error."""
    return snippet(question).then(
        "for method in trials[0].fits:", "    print(method, class_ratio.error(trials, method))"
    )
