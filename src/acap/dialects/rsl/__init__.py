"""RSL 1.0, Really Simple Licensing: licence documents, what they say to whom, and where they are referred to."""
