"""Running plans on somebody's own machine: the interpreter that the service runs, without a Functions host."""
