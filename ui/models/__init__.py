"""The page of models: what may be opened, its run in a queue, and what is shown of it."""
