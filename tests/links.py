"""Links that tests share."""

TOY = {"step": "X"}
"""The walkthrough's toy numbers at the first step, which a bare address showed once."""
