"""A run as a document, and the component that shows it: on a page, in a file, in a notebook."""

from stage.hosts.notebook import Shown, show

__all__ = ["Shown", "show"]
