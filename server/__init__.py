"""What stands in front of the site: who may ask for what, and how much the server does at a time."""
