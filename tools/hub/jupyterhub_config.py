"""JupyterHub for a class on one Linux machine, with the accounts of that machine.

An account's first start copies the notebooks to its home, where nobody else reads them. WORKBOOK
names the folder with the notebooks (the student edition, say), SERVERS how many may run at once:
about 300 MB each. It listens on this machine alone: put a web server with TLS before it.
"""

import os
import sys
from pathlib import Path

PROGRAMS = Path(sys.prefix, "bin")
NOTEBOOKS = Path(os.environ.get("WORKBOOK", "/srv/workbook"))
START = """umask 077
test -e ~/workbook || cp -r "$WORKBOOK" ~/workbook && chmod 700 ~/workbook && cd ~/workbook || exit
exec "$0" "$@" """
IDLE_SECONDS = 3600

if not any(NOTEBOOKS.glob("*.ipynb")):
    sys.exit(f"There are no notebooks in {NOTEBOOKS}: set WORKBOOK to a folder that has them.")

c = get_config()  # noqa: F821
c.JupyterHub.bind_url = "http://127.0.0.1:8000"
c.JupyterHub.authenticator_class = "pam"
c.LocalAuthenticator.allowed_groups = {"workbook"}
c.PAMAuthenticator.open_sessions = False

c.JupyterHub.spawner_class = "localprocess"
c.JupyterHub.active_server_limit = int(os.environ.get("SERVERS", "20"))
c.Spawner.cmd = ["sh", "-c", START, str(PROGRAMS / "jupyterhub-singleuser")]
c.Spawner.environment = {"WORKBOOK": str(NOTEBOOKS)}
c.Spawner.default_url = "/lab/tree/00_start_here.ipynb"
c.Spawner.http_timeout = 60

c.JupyterHub.load_roles = [
    {
        "name": "culler",
        "services": ["culler"],
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
    }
]
c.JupyterHub.services = [
    {
        "name": "culler",
        "command": [
            sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={IDLE_SECONDS}",
        ],
    }
]  # fmt: skip
