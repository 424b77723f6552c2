"""QR codes of addresses."""

from functools import lru_cache

import segno

# Modules of white around a QR code, without which telephones do not find it.
_QUIET = 4


@lru_cache(maxsize=256)  # it takes as long as the rest of the page
def qr_code(address: str) -> str:
    """Return the QR code of an address as an image’s data URI, dark on white in the dark theme too."""
    code = segno.make(address, error="m", micro=False)
    return str(code.svg_data_uri(border=_QUIET, dark="#000", light="#fff", scale=8))
