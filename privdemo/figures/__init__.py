"""Results as Plotly figures and pictures; no other package imports Plotly."""

from plotly.graph_objects import Figure

from privdemo.figures.claims import VERDICT_CSS
from privdemo.figures.documents import chart, document
from privdemo.figures.first_look import FIRST_LOOK_CSS, first_look
from privdemo.figures.house import projected
from privdemo.figures.images import damage, guessing, linkage
from privdemo.figures.people import PEOPLE_CSS, dot_field, people_html
from privdemo.figures.pictures import SHEET_CSS, contact_sheet, data_uri, picture_html, png, sample_sheet
from privdemo.figures.training import DIGITS_CSS
from privdemo.figures.trust import by_trust

CSS = SHEET_CSS + PEOPLE_CSS + DIGITS_CSS + FIRST_LOOK_CSS + VERDICT_CSS

__all__ = [
    "CSS",
    "SHEET_CSS",
    "Figure",
    "by_trust",
    "chart",
    "contact_sheet",
    "damage",
    "data_uri",
    "document",
    "dot_field",
    "first_look",
    "guessing",
    "linkage",
    "people_html",
    "picture_html",
    "png",
    "projected",
    "sample_sheet",
]
