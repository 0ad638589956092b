"""*Ask the class* in a lesson: what the scene that is on asks."""

from ui.classroom.questions.class_button import ASK_SCENE, ask_class, asks
from ui.classroom.questions.scene_asked import task_question
from ui.lessons.course import ScenePosition


def ask_scene(now: ScenePosition) -> None:
    """Draw the button that asks the question of the scene's link, or else the scene's task.

    The task goes along: nobody else may have the lesson, or its file may change.
    """
    question = None if asks(now.place.link) else task_question(now.scene)
    ask_class(now.asked, "scene", ASK_SCENE, (lambda: question) if question else None)
