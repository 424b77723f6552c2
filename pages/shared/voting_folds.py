"""What is folded away on the voting page: how it works, caveats, and the code that reproduces it."""

from __future__ import annotations

import math

from pages.shared import text
from privdemo import accounting
from privdemo.experiments import voting
from privdemo.experiments.voting import ElectionConfig

HOW = """
**The lie is a channel.** A voter of B says A with probability P₁₀, a voter of A says B with P₀₁ (Warner 1965). If θ is
the true share of A, a random person says A with probability P₁₀ + (1 − P₁₀ − P₀₁) θ. Every estimate is a reading of the
observed share f̃ of answers A (Barber, *Private machine learning via randomised response*, sections 1, 3 and 4).

- **Naive** (eq. 34): θ̂ = f̃. It tends to the share of answers, not of votes.
- **Spread likelihood** (eq. 22): the θ under which the released answers are most likely,
  θ̂ = (f̃ − P₁₀) / (1 − P₁₀ − P₀₁). *The paper prints a plus sign in the numerator of equations 2 and 24: a
  misprint.MISPRINT* The raw value may leave [0, 1]; the maximum of the likelihood is the nearer end then.
- **Reconstruction** (eq. 36–38): maximise J(θ) = Σ f̃(answer) Σ p_θ(vote | answer) ln p_θ(vote), where the guess of
  each vote moves with θ. *Where both lies happen J is largest at θ = 0 and at θ = 1 whatever was answered; shown here
  is the local maximum uphill from the observed share (from 1 − f̃ where P₁₀ + P₀₁ > 1). Guessing, counting the guesses
  and guessing again from the count is something else, expectation–maximisation: that ends at the spread estimate.*

**Intervals.** All three are Wilson's 95 % interval of f̃, read the same way as f̃ itself; standard errors are exact
sums over the binomial number of answers A. For the spread estimate the standard error is
√(f̃(1 − f̃)/N) / |1 − P₁₀ − P₀₁|: lies cost precision, not truth.

**More candidates.** With k-ary randomised response a liar names each of the k − 1 others with probability 1/(k − 1).
The *channel inverted* solves for the shares that would give the observed answers exactly; *projected* takes the nearest
shares of an election (none below 0, all adding up to 1); the *maximum of the likelihood* takes those under which the
answers are most likely. Where the inverted channel gives no share below 0 all three agree.

**Privacy.** One answer multiplies the odds of a vote by at most e^ε, ε = ln((1 − p)/p) for a symmetric lie p; in
general ε is the largest log ratio of an answer's probabilities under the two votes. M answers with fresh lies cost M ε,
and no less: all M may agree. The posterior after M answers is equation 3. *For three answers the paper prints the
majority as c₁ + c₂ + c₃ > 2, which asks for all three; a majority is > 1.*

**Training on flipped labels** (appendix B). For Gaussian inputs of mean 0, equation 104 reduces to integrals over one
Gaussian: −L′∞ = E[ln(1 + e^z)] − (p₁→₁ − p₀→₁) Cov(z₁, z) E[φ′(z₁)], with p₁→₁ and p₀→₁ the chances
that a label 1 and a label 0 are released as 1. *Two claims of the paper need mending. Its second
derivative (eq. 107) counts −s² E[φ′] too many, because the −φ(z₂) of equation 106 was left out; the right one is
−s² (p₁→₁ − p₀→₁) E[φ′]. And unequal spread turns the optimum only because the weights are held at length 1: when their
length is free, the gradient vanishes only along the true direction, for every covariance.*
"""

CAVEATS = """
- The intervals speak of luck alone. Those of the naive and of the reconstruction estimate do not know that the reading
  is wrong, and miss the truth the more surely the more people are asked.
- Wilson's interval is not exact: for few people and shares near 0 or 1 it may hold the truth more than ten points less
  often than 95 %. The lesson “again and again” shows how often it did.
- People are taken to lie as often as they are told to, each for themselves. Those who lie more, or refuse, are not
  modelled.
- Honest polls are no free comparison: people who fear for their secret may not answer truthfully at all.
- “People to ask” goes by Wilson's interval at the share of answers that is expected; luck makes it a little wider or
  narrower.
- Reconstruction is climbed from the observed share, or from its opposite where lies outweigh truths. Other starts may
  end elsewhere: its objective has up to three peaks.
- ε is the promise of one answer. Whoever is asked twice, here or elsewhere, spends it twice.
"""


def folds(config: ElectionConfig) -> dict[str, str]:
    """Markdown by title."""
    printed = ""
    if config.channel.contrast and config.channel.p10:
        printed = (
            f" With your lies and a true share of {text.share(config.share)} the printed formula tends to "
            f"{text.share(voting.misprint(config))}."
        )
    return {
        "How it works": HOW.replace("MISPRINT", printed),
        "What the adversary sees": _adversary(config),
        "Caveats": CAVEATS,
        "Code that reproduces this": _code(config),
    }


def _adversary(config: ElectionConfig) -> str:
    """What one answer tells somebody who knows nothing else."""
    told = []
    for said in (1, 0):
        try:
            belief = accounting.posterior(config.channel.channel_matrix, [0.5, 0.5], said)[said]
        except ValueError:  # nobody can say that
            continue
        name = "BA"[said]
        told.append(f"of 100 people who say {name}, {text.per_hundred(float(belief))} voted {name}")
    epsilon = config.channel.epsilon
    more = "“asking twice” shows how the answers of one person add up until nothing can be denied."
    if not config.channel.contrast:
        more = "“asking twice” shows that more answers tell no more."
    elif math.isinf(epsilon):
        more = "“asking twice” goes on to several answers."
    return (
        f"To somebody who holds both votes equally likely: {text.a_list(tuple(told))}. One answer costs "
        f"ε = {text.epsilon(epsilon)}. The lesson “the adversary” starts from any other belief; {more}"
    )


def _code(config: ElectionConfig) -> str:
    here = (config.channel.p10, config.share) if config.channel.p10 == config.channel.p01 else None
    return f"""
These lines hold the polls above and draw their figures; the other figures have theirs beside them.
```python
from privdemo import figures
from privdemo import accounting
from privdemo.experiments import voting
from privdemo.figures import people
from privdemo.figures import voting as charts
from privdemo.mechanisms import BinaryChannel

config = voting.{config!r}
elections = voting.run(config)
poll = voting.poll(config, elections)  # the last one
dots = voting.dots(config, poll)
seen = figures.dot_field("votes, and who lied", dots, people.TRUTH)
told = figures.dot_field("answers", dots, people.ANSWERS)
open("people.html", "w").write(figures.people_page([seen, told], people.LEGEND, "one poll"))
charts.estimates(poll.estimates, config.share).show()

records = voting.records(config, elections)
charts.repeated_polls([record for record in records if record.name != "spread MLE"], config.share).show()
for record in records:
    print(record.name, record.bias, record.law.mean - config.share, record.law.deviation, record.covered)

ends = {{name: end for name, end in voting.in_the_long_run(config).items() if name != "spread"}}
charts.figure1(voting.figure1(), {here!r}).show()
charts.landscape(*voting.landscape(config), ends, config.share).show()
```
"""
