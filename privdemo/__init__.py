"""privdemo: what local privacy methods cost and protect, computed.

Imports go one way: data → mechanism → estimator → experiment → figure.
"""

__version__ = "0.1.0"
