"""The lessons there are, and the place that a scene's link leads to.

A link is a page's address with its keys, as the share panel gives it; whatever stands before the
page's own part is not looked at, so that it leads nowhere outside the product.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from urllib.parse import parse_qsl, urlencode, urlsplit

from core.errors import InputError, input_error
from core.files.lesson import (
    MARKS,
    MAX_LESSON_BYTES,
    Lesson,
    Scene,
    read_lesson,
    without_answers,
    write_lesson,
)
from core.files.matrices import shorten
from core.path import PATH
from ui.classroom.store.room import HOURS_KEPT, room_in_name
from ui.classroom.store.rooms import rooms
from ui.lessons import folder
from ui.links.links import Reader, packed_data, stage_named, unpacked_data
from ui.links.path import HOME, address_of, keys_of
from ui.page_texts import plain_ui_texts

TEXTS = plain_ui_texts("lessons")
LESSON_NAMES = ("from-nothing", "class", "yourself")
"""Those that come with the product, as links name them."""
_OLDER_NAMES = {"causal-attention": (12, 2, 2, 3, 6, 9, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15)}
"""Older names of the first of them, with today's scene of the subject of each older one."""
OWN_LESSON = "own"
"""The one that a person opened from a file or a link."""
LESSON = "lesson"
"""The link's key for a lesson's scene: its name and its number, counted from 1."""
PACKED = "own"
"""The link's key for a lesson of a person's own: its file, packed."""
LONGEST_PACKED = 7_000
"""Characters of it: what remains of the longest link is for its address and its view."""
_OF_THE_WINDOW = ("present", "embed", "role", LESSON, PACKED)
_ADDRESSES = {name: "" if name == HOME else address_of(name) for name in (*PATH, "practice")}


@dataclass(frozen=True)
class LinkTarget:
    """Where a link leads: a page, what its keys say, and a heading of it."""

    page: str
    params: Mapping[str, str]
    heading: str = ""

    @property
    def asks(self) -> bool:
        """Whether the link is about a question of the page."""
        return "question" in self.params

    @property
    def stage(self) -> str:
        """The stage that the link is about, by its key; "" where it names none."""
        return stage_named(self.params)

    @property
    def link(self) -> str:
        """The link itself, below the product's own address."""
        return f"{_ADDRESSES[self.page]}?{urlencode(self.params)}"

    @property
    def control(self) -> str:
        """The control that the link is about, by its key, where it names no stage or question."""
        return "" if self.stage or self.asks else next(iter(self.params), "")


@cache
def shipped(name: str) -> Lesson:
    return read_lesson(source(name))


def source(name: str) -> str:
    """A lesson that comes with the product, as its file has it."""
    return (folder.FOLDER / f"{name}.toml").read_text(encoding="utf-8")


def further_names() -> list[str]:
    """The lessons in the server's folder that are not built in, good or bad, in order."""
    names = folder.names_in_folder()
    is_built_in = LESSON_NAMES if folder.lessons_folder() == folder.FOLDER else ()
    return [name for name in names if name not in is_built_in]


def lesson_in_folder(name: str) -> Lesson:
    """A lesson of the server's folder. Raises `InputError` with what is wrong with its file."""
    if name in (*LESSON_NAMES, *_OLDER_NAMES, OWN_LESSON):
        raise input_error(folder.TEXTS, "taken", name=name)
    return read_own(folder.bytes_in_folder(name))


def lesson_in_room(name: str, key: str = "") -> Lesson:
    """The lesson of a room by its name in links, whole for who has the room's key.

    Others get it without answers and notes. Raises `InputError` where there is none.
    """
    code = room_in_name(name)
    data = rooms().lesson(code)
    if data is None:
        raise input_error(TEXTS, "not_in_room", code=code, hours=HOURS_KEPT)
    lesson = read_own(data)
    return lesson if key and rooms().is_teacher(code, key) else without_answers(lesson)


def lesson_named(name: str, own: Lesson | None = None) -> Lesson:
    """A lesson by the name that links have: built in, one's own, of a room, or of the server's
    folder.

    Raises `InputError` where there is none, or its file is bad.
    """
    if name in LESSON_NAMES:
        return shipped(name)
    if room_in_name(name):
        return lesson_in_room(name)
    if name == OWN_LESSON and own is not None:
        return own
    text = shorten(repr(name))
    if name == OWN_LESSON:
        raise input_error(TEXTS, "somebodys_own", text=text)
    if not folder.is_in_folder(name):
        known = [f"{known}.1" for known in (*LESSON_NAMES, *further_names())]
        more = len(known) > 8
        raise input_error(TEXTS, "no_lesson", text=text, names=known[:8], more=more)
    return lesson_in_folder(name)


@lru_cache(maxsize=64)
def packed_lesson(lesson: Lesson) -> str:
    """A lesson as text of a link, which whoever has the link can open; "" if that is too long."""
    packed = packed_data(write_lesson(lesson).encode())
    return packed if len(packed) <= LONGEST_PACKED else ""


def lesson_of_link(packed: str) -> Lesson:
    """The lesson that a link brings. Raises `InputError`."""
    try:
        data = unpacked_data(packed, MAX_LESSON_BYTES + 1)
    except ValueError:
        raise input_error(TEXTS, "no_packed") from None
    return read_own(data)


@lru_cache(maxsize=32)
def read_own(data: bytes) -> Lesson:
    """The lesson in a file that is not ours, each of its links checked. Raises `InputError`."""
    if len(data) > MAX_LESSON_BYTES:
        raise input_error(TEXTS, "file_size", limit=f"{MAX_LESSON_BYTES:,}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise input_error(TEXTS, "no_text") from None
    lesson = read_lesson(text)
    for number, scene in enumerate(lesson.scenes, start=1):
        try:
            check_names(scene, place_of(scene.link, only_built_in=True))
        except InputError as error:
            value = TEXTS("in_scene", number=number, value=error.value)
            raise InputError(value, error.limit, error.remedy) from None
    return lesson


def place_of(link: str, *, only_built_in: bool = False) -> LinkTarget:
    """Where a link leads. Raises `InputError` where there is no such page or scene.

    A lesson's own links lead to scenes of `only_built_in` lessons: else one could lead to itself.
    """
    try:
        parts = urlsplit(link)
    except ValueError:
        parts = urlsplit("nowhere")
    named = parts.path.rsplit("/", 1)[-1]
    page = next((name for name, at in _ADDRESSES.items() if at == named), None)
    if page is None:
        pages = [address for address in _ADDRESSES.values() if address]
        raise input_error(TEXTS, "no_page", link=shorten(repr(link)), pages=pages)
    params = dict(parse_qsl(parts.query))
    if asked := params.get(LESSON):
        if only_built_in and as_named_now(asked).partition(".")[0] not in LESSON_NAMES:
            raise input_error(TEXTS, "own_scene")
        name, at = scene_named(asked)
        under = place_of(lesson_named(name).scenes[at].link)
        page, params = under.page, {**under.params, **params}
    kept = {key: value for key, value in params.items() if key not in _OF_THE_WINDOW}
    return LinkTarget(page, kept, parts.fragment)


def check_names(scene: Scene, place: LinkTarget) -> None:
    """Raise `InputError` if a scene names an array that is on no stage where its link leads."""
    keys = keys_of(place.page)
    stage = f"{place.stage.removesuffix('stage')}step"
    stages = [key.removesuffix("cover") + "step" for key in keys if key.endswith("cover")]
    readers = [keys[step].reader for step in ([stage] if stage in keys else stages)]
    sentence = {"say": scene.words, "do": scene.task, "answer": scene.answer, "note": scene.note}
    for field, text in sentence.items():
        for mark in MARKS.finditer(text):
            if named := mark["place"]:
                value = TEXTS("field_has", field=field, mark=shorten(mark[0]))
                _check_name(value, named.split(".")[0], readers)
    if scene.until:
        _check_name(TEXTS("until_is", text=shorten(repr(scene.until))), scene.until, readers)


def _check_name(value: str, name: str, readers: Sequence[Reader]) -> None:
    remedy: str = TEXTS("leave_out")
    for reader in readers:
        try:
            reader("step", name)
            return
        except InputError as error:
            remedy = error.remedy
    raise InputError(value, TEXTS("no_array"), remedy)


def lesson_of(link: str) -> str:
    """The lesson and scene that a link names, as `class.4`; "" if it names none."""
    try:
        return dict(parse_qsl(urlsplit(link).query)).get(LESSON, "")
    except ValueError:
        return ""


def as_named_now(asked: str) -> str:
    """The lesson and scene of a link, which may be older than its lesson is now."""
    name, _, number = asked.partition(".")
    older = {f"{n}": now for n, now in enumerate(_OLDER_NAMES.get(name, ()), start=1)}
    return f"{LESSON_NAMES[0]}.{older[number]}" if number in older else asked


def scene_named(asked: str, own: Lesson | None = None) -> tuple[str, int]:
    """A lesson's name and a scene's place, from 0, of `class.4`. Raises `InputError`."""
    name, _, number = as_named_now(asked).partition(".")
    scenes = lesson_named(name, own).scenes
    fits = number.isascii() and number.isdigit() and len(number) < 4
    if not fits or not 1 <= int(number) <= len(scenes):
        text = shorten(repr(asked))
        raise input_error(TEXTS, "no_scene", text=text, count=len(scenes), name=name)
    return name, int(number) - 1
