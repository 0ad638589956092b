"""What is made to be printed: worksheets and question papers, each with its key."""
