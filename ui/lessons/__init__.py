"""Lessons: where their scenes lead, which scene is on, and how it is told."""
