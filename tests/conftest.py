"""What every test begins with: a state directory of its own, so that none makes or uses the user's key."""

from __future__ import annotations

import os
import tempfile

os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="repo-mcp-state-")
