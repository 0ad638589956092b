"""The teacher's window and the projector."""
