"""Stories of people who use aroctl: in a terminal and in a pipe, against one local Azure whose service takes tokens."""
