"""What is checked against Azure before anything is made."""
