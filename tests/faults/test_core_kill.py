"""Core's commits on the local store, killed two hundred times at random moments, two writers at once.

The log is read by Python here, not by the product: whole commits only, no gaps, every acknowledged one there; then the
product must open it and see the same files."""
import json
import os
import random
import signal
import subprocess
import time

import pytest
from engines import BUILD

COMMIT_LOOP = BUILD / "birdfoot_commit_loop"
FILES_A_COMMIT = 20

pytestmark = pytest.mark.skipif(not COMMIT_LOOP.exists(), reason="birdfoot_commit_loop is not built")


def adds_by_version(table):
    names = sorted(n for n in os.listdir(table / "_delta_log") if n.endswith(".json"))
    assert names == [f"{version:020d}.json" for version in range(len(names))], "versions without gaps"
    versions = []
    for name in names:
        text = (table / "_delta_log" / name).read_text()
        assert text.endswith("\n"), "whole commits only"
        actions = [json.loads(line) for line in text.splitlines()]
        assert "commitInfo" in actions[0]
        adds = [a["add"]["path"] for a in actions if "add" in a]
        assert len(adds) == FILES_A_COMMIT
        versions.append(adds)
    return versions


@pytest.mark.parametrize("seed", range(4))
def test_killed_while_committing(tmp_path, seed):
    rng, table, acknowledged = random.Random(seed), tmp_path / "t", {}
    for round_ in range(25):
        writers = [subprocess.Popen([COMMIT_LOOP, table, f"w{seed}-{round_}-{who}"], stdout=subprocess.PIPE, text=True)
                   for who in range(2)]
        # The last two are seen at work before they die, however slow the machine is.
        first = [writer.stdout.readline() if round_ == 24 else "" for writer in writers]
        time.sleep(rng.random() * 0.04)
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
        for writer, begun in zip(writers, first):
            for line in (begun + writer.communicate()[0]).split("\n")[:-1]:
                version, name = line.split()
                assert int(version) not in acknowledged, "a version has one owner"
                acknowledged[int(version)] = name
    assert acknowledged
    versions = adds_by_version(table)
    for version, name in acknowledged.items():
        assert versions[version] == [f"{name}-{i}.parquet" for i in range(FILES_A_COMMIT)]
    seen = subprocess.run([COMMIT_LOOP, table, "check"], capture_output=True, text=True, check=True).stdout.split()
    assert sorted(seen) == sorted(path for adds in versions for path in adds)
    leftovers = [n for n in os.listdir(table / "_delta_log") if not n.endswith(".json")]
    assert all(n.startswith(".") and n.endswith(".tmp") for n in leftovers)
