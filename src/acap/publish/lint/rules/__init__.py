"""One file a rule; each holds one `RULE`. `catalogue` lists them."""
