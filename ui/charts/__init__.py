"""The chapters' charts, a file a chapter, and the frame that they share."""
