"""`python -m acap` is `acap`."""

from __future__ import annotations

import sys

from acap.cli.main import main

sys.exit(main())
