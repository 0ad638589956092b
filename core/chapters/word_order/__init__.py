"""How attention knows position: what it says of tokens in another order, and what tells it."""
