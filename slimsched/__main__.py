"""``python -m slimsched``: the command ``sim``."""

import sys

from slimsched.cli.start import main

sys.exit(main())
