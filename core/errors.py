"""The one kind of error a person can put right: what was given, what is allowed, what to do."""


class InputError(ValueError):
    """A value from outside that cannot be used.

    Raised in `core`, shown in `ui` beside the control that caused it, always as
    value → limit → remedy: "7 heads cannot share d_model = 8 evenly: choose 1, 2, 4 or 8".
    All three parts are plain text; whoever shows them escapes them.
    """

    def __init__(self, value: str, limit: str, remedy: str) -> None:
        self.value, self.limit, self.remedy = value, limit, remedy
        joint = " " if limit.startswith(("cannot", "must")) else "; "
        super().__init__(f"{value}{joint}{limit}: {remedy}")
