"""Results as Plotly figures and pictures; no other package imports Plotly."""

from plotly.graph_objects import Figure

from privdemo.figures.bag import BAG_CSS
from privdemo.figures.chart_style import CHART_CSS
from privdemo.figures.claims import VERDICT_CSS
from privdemo.figures.class_ratio import RATIO_CSS
from privdemo.figures.documents import chart, document
from privdemo.figures.guess_bar import GUESS_BAR_CSS
from privdemo.figures.images import match_html, pixel_error_figure, reconstruction_figure, reidentification_figure
from privdemo.figures.many_answers import OPEN_SHARES_CSS
from privdemo.figures.people import PEOPLE_CSS, dot_field, people_html, split_field
from privdemo.figures.pictures import (
    LABELLED_CSS,
    SHEET_CSS,
    contact_sheet,
    data_uri,
    labelled_html,
    picture_html,
    png,
    sample_sheet,
)
from privdemo.figures.plain import fingerprint, height
from privdemo.figures.slides import for_slide
from privdemo.figures.training import DIGITS_CSS
from privdemo.figures.trust import by_trust

CSS = "".join(
    [
        SHEET_CSS,
        PEOPLE_CSS,
        BAG_CSS,
        DIGITS_CSS,
        RATIO_CSS,
        CHART_CSS,
        VERDICT_CSS,
        LABELLED_CSS,
        GUESS_BAR_CSS,
        OPEN_SHARES_CSS,
    ]
)

__all__ = [
    "CSS",
    "SHEET_CSS",
    "Figure",
    "by_trust",
    "chart",
    "contact_sheet",
    "data_uri",
    "document",
    "dot_field",
    "fingerprint",
    "for_slide",
    "height",
    "labelled_html",
    "match_html",
    "people_html",
    "picture_html",
    "pixel_error_figure",
    "png",
    "reconstruction_figure",
    "reidentification_figure",
    "sample_sheet",
    "split_field",
]
