"""Sites: everything a site says about its resources, gathered, kept, and decided by."""
