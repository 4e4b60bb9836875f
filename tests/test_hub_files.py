"""What machines read of the files for hubs and citations, and the limits of the hub."""

import ast
import re
import subprocess
import sys
import tomllib

import yaml

from tests.class_environment import LISTS, PROXY, ROOT

CONFIG = ROOT / "tools" / "hub" / "jupyterhub_config.py"


def read(*names):
    return yaml.safe_load(ROOT.joinpath(*names).read_text(encoding="utf8"))


def test_the_values_for_kubernetes_open_a_notebook_and_limit_what_a_student_takes():
    values = read("tools", "hub", "values.yaml")
    assert values.keys() == {"singleuser", "cull", "hub"}
    student = values["singleuser"]
    opened = student["defaultUrl"].removeprefix("/lab/tree/")
    assert (ROOT / opened).is_file()
    sizes = [
        int(re.sub("G", "000", student["memory"][k]).rstrip("M")) for k in ("guarantee", "limit")
    ]
    assert sizes == sorted(sizes)
    assert values["cull"]["enabled"] is True


def test_every_program_of_a_class_is_pinned():
    lines = [line for line in LISTS[1].read_text().splitlines() if not line.startswith("#")]
    assert lines and all(re.fullmatch(r"[\w-]+==[\d.]+", line) for line in lines)
    assert re.fullmatch(r"configurable-http-proxy@[\d.]+", PROXY)


def test_the_hub_without_notebooks_says_so_in_one_sentence(tmp_path):
    assert ast.parse(CONFIG.read_text(encoding="utf8"))
    done = subprocess.run(
        [sys.executable, CONFIG], env={"WORKBOOK": str(tmp_path)}, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert (
        done.stderr
        == f"There are no notebooks in {tmp_path}: set WORKBOOK to a folder that has them.\n"
    )


def test_the_version_is_the_same_wherever_it_is_named():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    citation = read("CITATION.cff")
    assert citation["version"] == version
    assert read("tools", "hub", "values.yaml")["singleuser"]["image"]["tag"] == version
    assert f"version {version}" in (ROOT / "README.md").read_text(encoding="utf8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf8")
    assert re.findall(r"^## (\S+)", changes, re.MULTILINE)[0] == version
    assert {"cff-version", "message", "title", "authors", "license"} <= citation.keys()
