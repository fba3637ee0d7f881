"""What emitted code calls while it runs: choosing samples, putting them together again, checks, and the record of it all."""
