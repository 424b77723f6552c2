"""Charts of voting hold the estimates, distributions and limits they are given."""

import numpy as np

from privdemo import attacks
from privdemo.estimators import survey
from privdemo.experiments import voting
from privdemo.figures import voting as charts
from privdemo.methods import RAW_SPREAD, SPREAD_MLE, VOTING
from tests.figures.reading import shows_estimates

CONFIG = voting.ElectionConfig(n_elections=50)
ELECTIONS = voting.run(CONFIG)


def test_estimates_stand_with_their_intervals_beside_the_truth():
    estimates = voting.poll(CONFIG, ELECTIONS).estimates
    figure = charts.estimates(estimates, CONFIG.share)
    shown = {name: e for name, e in estimates.items() if name != RAW_SPREAD}  # the same as the other correction
    assert estimates[RAW_SPREAD].value == estimates[SPREAD_MLE].value
    for trace, (name, e) in zip(figure.data, shown.items(), strict=True):
        assert shows_estimates(trace, (e.value, e.low, e.high), axis="x")
        assert trace.y[0] == VOTING[name].title
    assert figure.layout.shapes[0].x0 == CONFIG.share
    estimates_outside = estimates | {RAW_SPREAD: estimates[RAW_SPREAD]._replace(value=-0.01)}
    assert len(charts.estimates(estimates_outside, CONFIG.share).data) == len(estimates_outside)


def test_figure_1_has_a_plot_for_every_lie_and_breaks_lines_at_jumps():
    runs = voting.figure1()
    figure = charts.figure1(runs, (0.2, 0.35))
    assert len({trace.xaxis for trace in figure.data}) == len(runs)
    climbing = [trace for trace in figure.data if "reached" in trace.name]
    for trace, run in zip(climbing, runs, strict=True):
        kept = ~np.isnan(trace.y)
        np.testing.assert_array_equal(np.asarray(trace.y)[kept], run.reconstruction[kept])
        steps = np.diff(trace.y)
        assert (np.abs(steps[~np.isnan(steps)]) <= 0.05).all()


def test_repeated_answers_are_sampled_with_their_probabilities():
    all_guesses = [attacks.repeated_answers(CONFIG.channel, 0.5, m) for m in range(1, 51)]
    guess = charts.asking_again(all_guesses, 7).data[0]
    of_a, of_b, posterior = charts.answers(all_guesses[6]).data
    assert list(guess.y) == [found.best_guess_right for found in all_guesses]
    np.testing.assert_array_equal([of_b.y, of_a.y], all_guesses[6].chances)
    np.testing.assert_array_equal(posterior.y, all_guesses[6].posterior)
    assert list(of_a.x) == list(posterior.x) == list(range(8))


def test_candidates_have_the_intervals_of_the_inverted_channel():
    config = voting.ManyConfig()
    result = voting.run_many(config)
    traces = {trace.name: trace for trace in charts.candidates(config.shares, result).data}
    inverted = traces["simple inversion"]
    assert shows_estimates(inverted, *zip(inverted.y, result.low, result.high, strict=True))
    assert list(traces["truth"].y) == list(config.shares)
    np.testing.assert_array_equal(traces["best fit"].y, result.mle)


def test_the_price_marks_the_visitors_plan():
    epsilon, people = 0.01, 9e7
    curve = survey.curve(0.02, 0.5, through=epsilon)
    trusted = {"a shuffler": [(0.1, 5000.0), (1.0, 2500.0)], "a curator": [(0.1, 3000.0)]}
    figure = charts.price(curve, 2398, (epsilon, people), 0.02, trusted)
    line, honest, shuffled, curated, plan = figure.data
    assert [trace.name for trace in (line, shuffled, curated)] == [
        f"{whom} is trusted" for whom in ("nobody", "a shuffler", "a curator")
    ]
    assert (*shuffled.y, *curated.y) == (5000.0, 2500.0, 3000.0)
    assert list(zip(line.x, line.y, strict=True)) == [tuple(point) for point in curve]
    assert list(honest.y) == [2398, 2398]
    assert (*plan.x, *(rule.x0 for rule in figure.layout.shapes)) == (epsilon, epsilon)
