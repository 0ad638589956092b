"""A view as a link: its keys, what they may say, the session that follows them."""
