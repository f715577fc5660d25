"""What several parts need and no user sees: checks of arguments, progress, Ctrl-C."""
