"""What is shown as markup, with every text from outside escaped."""
