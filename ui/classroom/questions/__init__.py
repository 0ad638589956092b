"""What a class is asked, how it is shown, and how it was answered."""
