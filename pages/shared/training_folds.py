"""What is folded away at the end of the training page."""

from __future__ import annotations

from pages.shared.training_controls import DELTA, EM_DRAWS, Question
from pages.shared.training_panels import code
from privdemo.experiments.results import N_DRAWS
from privdemo.experiments.training import N_SAMPLES, N_STEPS, N_TEST

PAPER = "Barber, *Private machine learning via randomised response*"

_HOW = rf"""
The model is logistic regression, $p(c=1\mid x)=\varphi(\theta^\top x+b)$ with $\varphi(a)=1/(1+e^{{-a}})$. Each person
releases one corrupted pair $(\tilde c,\tilde x)$: the label through a channel $T[\tilde c\mid c]$, every pixel through
its own noise. All methods but the ceiling see the same releases.

- **Spread** maximises the likelihood of what was released,
  $$\sum_n\log\sum_c T[\tilde c_n\mid c]\;\mathbb{{E}}\left[p_\theta(c\mid x)\mid\tilde x_n\right].$$
  Given the released pixels, the true ones are independent with known means $M_n$ and variances $V_n$, so the score
  $a=\theta^\top x+b$ is close to Gaussian (exactly so for Gaussian pixels), and the expectation is a sum over 16
  Gauss–Hermite nodes with an exact gradient. Before any of that a *prior* says what pixels look like: **learned** from
  the released images alone, **flat**, or the **true** one, which nobody would have.
- **Published EM** is the same likelihood as in the paper (eq. 51–65): {N_SAMPLES} samples of the truth a person,
  weighted, one gradient step, {N_STEPS} times, without a penalty: the early stop acts like one. It takes about a
  minute a draw at 250 + 250, has {EM_DRAWS} draws here, and runs only when you choose it.
- **Naive** takes what was released for the truth.
- **Reconstruction** guesses the truth with its own model and learns from the guess (eq. 36–37). Being sure is
  rewarded: from flips of 0.146 on even the share of one class runs away to 0 or 1, as in the voting lesson.
- **Clean data** is what nobody here may see: the ceiling.

Every other method chooses the strength of its penalty on $\lVert\theta\rVert^2$ in the same way, by five-fold
cross-validation of the likelihood of the labels it was given: released ones, so that no clean label is touched, but
for the ceiling.

**Log loss** is the mean of $-\ln$(probability given to the true class), and the **Brier score** the mean squared
distance of that probability from 1: both punish being sure and wrong, which accuracy does not see.
Source: {PAPER}, sections 4–6.
"""

_ADVERSARY = """
Everyone's release is public, so anybody may train on it, an adversary too. The released image of somebody who did not
train the model goes through the same likelihood: given the noisy pixels, how probable is each class? The label's ε
bounds what the released *label* gives away; what the image gives away comes on top. Choose *the adversary* above to see
it measured.
"""


def _caveats() -> str:
    return f"""
- Error bars are 95 % intervals over draws of people and noise. Draws share most of their test images (of 7 and 9 there
  are about a thousand each), so luck in the test images is hardly in them. Of one draw, they are over its test images
  alone.
- Test images: {N_TEST} of each digit where there are as many; of scikit-learn's small digits a third.
- Shipped curves: {N_DRAWS} draws a point.
- Images are taken one pixel at a time: their pixels' joint habits, which would undo more of the noise, are not used.
- ε is for one pixel and for one label (for Gaussian pixels at δ = {DELTA:g}); an image of 784 pixels costs far more,
  see *What does the noise do to an image?*
- Cross-validation can be unlucky: at high noise held-out likelihoods hardly differ, and the penalty chosen may leave
  only the intercept, which names one class for everybody.
"""


def folds(question: Question | str) -> dict[str, str]:
    """How it works, what the adversary sees, caveats and the code, as Markdown."""
    contents = {"How it works": _HOW, "What the adversary sees": _ADVERSARY, "Caveats": _caveats()}
    if isinstance(question, str):
        return contents
    said = {title: question.said(words) for title, words in contents.items()}
    return said | {"Code that reproduces this": f"```python\n{code(question)}\n```"}
