"""The walkthrough: its keys in the link, its controls, its stage, and what is done with a run."""
