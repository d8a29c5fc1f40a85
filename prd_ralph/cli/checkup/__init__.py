"""What `prd-ralph doctor` looks at, a room each. Nothing is changed, and nothing waits for ever."""
