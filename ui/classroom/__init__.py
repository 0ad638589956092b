"""The class: rooms that a teacher opens, what students answer in them, and who may do what."""
