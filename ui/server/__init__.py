"""What the server does for all pages: start, visits, queues, limits, what goes wrong."""
