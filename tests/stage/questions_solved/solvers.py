"""A solver for each kind of question."""

from tests.stage.questions_solved.by_counting import BY_COUNTING
from tests.stage.questions_solved.by_numbers import BY_NUMBERS
from tests.stage.questions_solved.by_trying import BY_TRYING

ROOMS = (BY_NUMBERS, BY_COUNTING, BY_TRYING)
SOLVERS = {name: solver for room in ROOMS for name, solver in room.items()}
