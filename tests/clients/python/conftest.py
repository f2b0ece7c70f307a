# conftest.py
import os
import subprocess

import pytest
from kubernetes import config


@pytest.fixture(scope="session")
def api(tmp_path_factory):
    """A client of a server of its own, which ends with the tests."""
    folder = tmp_path_factory.mktemp("hubgen")
    (folder / "tokens.csv").write_text('secret,ada,1,"system:masters"\n')
    files = [f"--{name}={folder / name}" for name in ("cert-dir", "kubeconfig")]
    command = [os.environ.get("HUBGEN", "hubgen"), "serve", "--json", "--in-memory", "--port=0", *files]
    command.append(f"--token-auth-file={folder / 'tokens.csv'}")
    with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout.readline(), "hubgen serve has ended"
            yield config.new_client_from_config(str(folder / "kubeconfig"))
        finally:
            server.terminate()
