"""What a fit found, as numbers, as a page of text and as a picture."""
