"""What does your class ask?

A student's page: the room by its code, the question that is asked, an answer, and how it went.
"""

from ui.classroom.student.joining import student_page
from ui.page.frame import act_on_page, say_link_faults

act_on_page("lost_answers")
say_link_faults()
student_page()
