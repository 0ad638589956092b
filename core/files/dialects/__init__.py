"""How people write matrices: one file a dialect, each with `is_…` (is it mine?) and `read_…`.

Each gives what stands in the text as words (`core.files.dialects.written`). Nothing is evaluated.
"""
