"""The parts of which the page is made: widgets, forms, live HTML, styles, jobs and the header."""
