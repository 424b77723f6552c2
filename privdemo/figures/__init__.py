"""Results as Plotly figures and pictures; the one package that knows Plotly."""

from plotly.graph_objects import Figure

from privdemo.figures.charts import to_html
from privdemo.figures.image_noise import damage_and_linkage
from privdemo.figures.pictures import SHEET_CSS, contact_sheet, picture_html, picture_page, png

__all__ = [
    "SHEET_CSS",
    "Figure",
    "contact_sheet",
    "damage_and_linkage",
    "picture_html",
    "picture_page",
    "png",
    "to_html",
]
