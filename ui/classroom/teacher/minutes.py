"""How long a class has lasted, next to what its lesson has planned."""

from math import ceil
from time import time

from ui.classroom.questions.asked import scene_of
from ui.classroom.questions.scene_notes import planned_until
from ui.classroom.store.rooms import Room
from ui.lessons.course import ScenePosition
from ui.page_texts import page_texts
from ui.text import Markdown

TEXTS = page_texts("room")


def minute_of(room: Room) -> int:
    """Return the minute that a class is in, from 1; 0 before its first question and after its end.

    Minutes count from the moment in which the first question was asked.
    """
    if room.is_closed or not room.asks:
        return 0
    return max(0, int((time() - room.asks[0].asked) // 60)) + 1


def minutes_seen(room: Room | None) -> object:
    """What the teacher's window shows of a room that changes: its state, and its minute."""
    return room and (room.version, minute_of(room))


def so_far(room: Room) -> Markdown:
    """Return how many students there are and which minute it is, of how many that are planned, and
    how late it is by the plan.
    """
    scene = scene_of(room.now.link) if room.now else None
    return TEXTS(
        "so_far", joined=room.joined, closed=room.is_closed, shut=not room.lets_in,
        minute=minute_of(room), **_planned(scene, minute_of(room)),
    )  # fmt: skip


def _planned(scene: ScenePosition | None, minute: int) -> dict[str, object]:
    """The minutes of a scene's lesson, until which one the scene is planned, and how many minutes
    after that it is. The minute in which the scene is planned to end is not late.
    """
    if scene is None:
        return {"planned": "", "until": "", "late": 0}
    until = planned_until(scene)
    late = max(0, minute - ceil(until))
    return {"planned": f"{scene.lesson.minutes:g}", "until": f"{until:g}", "late": late}
