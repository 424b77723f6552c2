"""Terms are explained once on a page, and not within tags, links and headings."""

import pytest

from pages.kit import glossary
from pages.kit.glossary import Term, explain

TERMS = (
    Term("noise", ("noise",), "Random changes."),
    Term("Laplace noise", ("Laplace noise", "Laplace"), "Mostly small <changes>.", paper="Lap(b)"),
    Term("p", ("p",), "How often."),
)


@pytest.fixture(autouse=True)
def _few_terms(monkeypatch):
    monkeypatch.setattr(glossary, "terms", lambda: TERMS)
    glossary._forms.cache_clear()
    yield
    monkeypatch.undo()
    glossary._forms.cache_clear()


def marked(markup, place="here", explained=None):
    """Return the markup with explained words in brackets."""
    found = explain(markup, place, {} if explained is None else explained)
    opening = '<span class="term" tabindex="0" aria-describedby="meaning-'
    for i, term in enumerate(TERMS):
        meaning = f'<span class="meaning" role="tooltip" id="meaning-{i}">'
        found = found.replace(f'{opening}{i}">', "[")
        for words in ("Random changes.", "Mostly small &lt;changes&gt;. In the papers: Lap(b).", "How often."):
            found = found.replace(f"{meaning}{words}</span></span>", f"]{term.name[0]}")
    return found


@pytest.mark.parametrize(
    ("markup", "found"),
    [
        ("Noise is noise.", "[Noise]n is noise."),
        ("Add Laplace noise to noise", "Add [Laplace noise]L to [noise]n"),
        ("Laplace\u00a0noise", "[Laplace\u00a0noise]L"),
        ("laplace and then Laplace noise", "[laplace]L and then Laplace noise"),
        ("P is not p, nor is p-value", "P is not [p]p, nor is p-value"),
        ("noisy, denoise, noise’s", "noisy, denoise, noise’s"),
        ('<p title="noise">and <b>noise</b></p>', '<p title="noise">and <b>[noise]n</b></p>'),
        (
            "<a href='p'>noise</a> <h4>p</h4> <button>p</button> p",
            "<a href='p'>noise</a> <h4>p</h4> <button>p</button> [p]p",
        ),
        ("no term", "no term"),
    ],
)
def test_a_term_is_explained_where_it_first_stands_in_words(markup, found):
    assert marked(markup) == found


def test_a_page_explains_a_term_in_one_place_also_when_it_is_rendered_again():
    explained = {}
    assert marked("noise", "takeaway", explained) == "[noise]n"
    assert marked("noise and p", "figure", explained) == "noise and [p]p"
    assert marked("noise and p", "takeaway", explained) == "[noise]n and p"
    assert explained == {"noise": "takeaway", "p": "figure"}


def test_an_explanation_names_what_the_paper_calls_it():
    assert [term.explanation for term in TERMS[:2]] == [
        "Random changes.",
        "Mostly small <changes>. In the papers: Lap(b).",
    ]


def test_the_file_holds_every_field_as_a_term_has_it(monkeypatch):
    monkeypatch.undo()
    glossary._forms.cache_clear()
    assert all(isinstance(term.forms, tuple) and isinstance(term.avoid, tuple) for term in glossary.terms())
    assert 'class="term"' in explain("how large is ε here", "here", {})
