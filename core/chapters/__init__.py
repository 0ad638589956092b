"""What each page computes, under the page's name; its questions with it."""
