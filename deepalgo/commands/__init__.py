"""The subcommands of `deepalgo`, one a file."""
