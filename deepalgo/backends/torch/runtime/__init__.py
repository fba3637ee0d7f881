"""What torch code calls while it runs: selecting samples, joining them again, checks, and the record of what samples did."""
