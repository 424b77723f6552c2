"""What is folded away at the end of the page on class ratios."""

from __future__ import annotations

from pages.shared.ratio_controls import Question
from pages.shared.ratio_panels import code
from privdemo.experiments.class_ratio import N_FEATURES, TEST_SHARE
from privdemo.experiments.results import N_DRAWS

_PAPER = "Iyer, Nath & Sarawagi, *Privacy preserving class ratio estimation* (KDD 2016)"

_HOW = rf"""
Training sets $S_1,\dots,S_M$ have known proportions $\rho_i$ of $c$ classes; no single label is known. A new set $U$
has any mix of the same classes. If a class looks the same in every set, $p(x\mid y,S)=p(x\mid y)$, then $U$ is a
mixture of the classes, and also of the training sets.

- **Spread on set names** (ours): the name of a record’s set is a randomised response of its class,
  $T[s\mid y]=n_s\,\rho_s(y)/\sum_{{s'}}n_{{s'}}\rho_{{s'}}(y)$. The spread likelihood of *Training on noise* and *Only
  bag totals*, $\sum\ln\sum_y T[s\mid y]\,p_\theta(y\mid x)$, serves unchanged. Penalty and one temperature are chosen
  by the likelihood of held-out set *names*. Then EM finds the shares under which $U$ is likeliest (Saerens, Latinne &
  Decaestecker 2002).
- **MMD**: with $\hat\Phi$ the mean of a set in the feature space of
  $k(x,x')=\exp(-\lVert x-x'\rVert^2/2b^2)$, the mixture $\hat\alpha=\arg\min\lVert\sum\alpha_i\hat\Phi_i-
  \hat\Phi_U\rVert^2$ gives $\hat P\hat\alpha$, moved to the nearest proportions. The bandwidth $b$ finds one half of
  the sets from the other best. **Random features** take {N_FEATURES:,} random cosines instead of the exact kernel: time
  linear in the records.
- **Set identity**: a classifier of sets; its mean probabilities over $U$ as a mixture of those over the sets.
  **Classify and count**: ∝SVM (Yu et al. 2013) or the label-proportion classifier of *Only bag totals* names every
  record, and the names are counted. That takes $U$ to have the mix of the training sets.
- **All labels**: logistic regression with every label of the same records, and the same EM correction, or (classify and
  count) the mean of its probabilities.

**Error** is the L1 distance of two proportions, from 0 to 2. **Q** $=\sigma_{{\max}}(\hat P)/\sigma_{{\min}}(\hat A)$
is Theorem 1’s condition number, $\hat A$ the sets’ mean features. The theorem bounds the L2 error by
$(1+Q)\sqrt{{\sum C(n_i)^2}}/\sigma_{{\min}}(\bar A)+Q\,C(n_u)$ with
$C(n)=2/\sqrt n+\sqrt{{\ln(2(2M+1)/\delta)/2n}}$. Source: {_PAPER}.
"""

_ADVERSARY = """
What is released of each set: its records without labels, and one count for each class. The adversary knows a record and
its set. The set’s proportions alone name the common class. But the sets together teach a model of what each class looks
like, and that model names single records, those in the sets and others alike: see *the adversary* above.

Noise on the counts makes (ε, δ) a promise about the **label of one person in a given set**: with it changed, no
released
counts become more than e^ε times as likely, but for δ. Which records make a set is released, too, and the promise does
not cover that: sets that exist by themselves, such as districts or years, give nothing away by it, sets that were
filled by label do. Nor does it hide what is true of the classes in general, and it cannot: that is what the data are
released for.
"""

_CAVEATS = f"""
- **Assumption A1**: a class must look the same in every set. Here it does, as {TEST_SHARE:.0%} of all records are kept
  for asking at random. Digits of other writers or people of another year would look different, and every method would
  err, a broad kernel most.
- **Assumption A0**: the sets’ proportions must differ enough. c sets are the least; at ρ = 1/c they are all alike.
- A set that is asked about may hold a test record more than once where its class has too few left.
- **The sets here are filled by label**, after the paper’s protocol, to have their proportions. So who is in which set
  tells of labels, and ε and δ of the counts are as if the groups had come that way by themselves.
- With large sets a record can be in a training set and in a tuning set; its label is then released about twice, and ε
  and δ add up. A set never holds a record twice.
- Released proportions are taken for true by every method; that the noise is known is not made use of.
- Noise chosen from the private counts (scaled Dirichlet as published, or “tight for these counts”) has no formal
  guarantee. “Tight from n_min on” has, for sets that keep the public bound.
- Theorem 1 needs the sets’ true distributions; their samples are in their place. Its bound is far above the error.
- The median heuristic, the range of continuous columns and the words of SMS come from the records and are taken for
  public: the promise is about labels alone.
- Shipped curves: {N_DRAWS} draws a point.
"""


def folds(question: Question | str) -> dict[str, str]:
    """How it works, what the adversary sees, caveats and the code, as Markdown."""
    contents = {"How it works": _HOW, "What the adversary sees": _ADVERSARY, "Caveats": _CAVEATS}
    if not isinstance(question, str):
        contents["Code that reproduces this"] = f"```python\n{code(question)}\n```"
    return contents
