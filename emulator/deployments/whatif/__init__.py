"""What-if: the changes that a deployment would make, compared with what exists."""
