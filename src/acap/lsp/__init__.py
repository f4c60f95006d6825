"""The language server: findings, fixes, hovers, completion, definitions, layout, in editors that speak LSP."""
