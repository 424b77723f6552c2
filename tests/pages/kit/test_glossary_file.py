"""The file of the glossary: short meanings, each word in one term, and every method under its title in charts."""

import tomllib

import pytest

from privdemo import methods
from tests.documents import ROOT

TERMS = tomllib.loads((ROOT / "pages/kit/glossary.toml").read_text(encoding="utf-8"))["term"]
FORMS = [form.lower() for term in TERMS for form in term["forms"]]
AVOIDED = [word.lower() for term in TERMS for word in term.get("avoid", ())]
TABLES = (methods.VOTING, methods.TRAINING, methods.LABEL_PROPORTIONS, methods.CLASS_RATIO, methods.COMPARISON)


def test_terms_are_explained_once_in_25_words_at_most():
    for term in TERMS:
        assert set(term) <= {"name", "forms", "meaning", "paper", "avoid"}, term
        assert term["forms"], term
        assert len(term["meaning"].split()) <= 25, term
        assert term["meaning"].endswith("."), term
    assert len({term["name"] for term in TERMS}) == len(TERMS)
    assert len(set(FORMS)) == len(FORMS)
    assert len(set(AVOIDED)) == len(AVOIDED)
    assert not set(FORMS) & set(AVOIDED)


@pytest.mark.parametrize("table", TABLES)
def test_every_method_is_explained_under_its_name_on_screen(table):
    for method in table.values():
        assert any(method.title.lower().startswith(form) for form in FORMS), method.title
        assert not any(word in method.title.lower().split() for word in AVOIDED), method.title
