"""Links that tests share."""

TOY = {"step": "X"}
"""The walkthrough's toy numbers at the first step: what a bare address showed before the example."""
TOY_QUERY = "?step=X"
