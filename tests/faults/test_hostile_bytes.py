"""Tables of hostile bytes: a stock DuckDB that reads and writes them gives rows or an error each time, lives on, and its
other tables with it."""
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import threading
from zlib import crc32

import pyarrow as pa
import pytest
from engines import ROOT, connect
from table_builder import DV_PROTOCOL, Table, dv_file, relative_dv

# Reads a table's path from each line of its input, tries everything with it, and answers with a line of what came of it.
VICTIM = """
import json, resource, sys
sys.path.insert(0, sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (12 << 30, 12 << 30))
import duckdb
from engines import connect
con = connect()
con.execute("SET birdfoot_checkpoints = 'inline'")
con.execute("SET birdfoot_fsync = false")
con.execute(f"ATTACH '{sys.argv[2]}' AS sound (TYPE birdfoot)")
for line in sys.stdin:
    path = line.rstrip("\\n")
    outcome = []
    for sql in (f'SELECT * FROM delta."{path}"', f'SELECT count(*), min(id), max(id) FROM delta."{path}"',
                f'SELECT * FROM delta."{path}" WHERE p = 1 AND id < 40', f'DESCRIBE HISTORY delta."{path}"',
                f'DESCRIBE DETAIL delta."{path}"', f'INSERT INTO delta."{path}" BY NAME SELECT 7 AS id, 1 AS p'):
        try:
            con.execute(sql).fetchall()
            outcome.append(None)
        except duckdb.Error as error:
            outcome.append([type(error).__name__, str(error)])
    assert con.execute("SELECT 42").fetchall() == [(42,)]
    assert con.execute("SELECT count(*), sum(id) FROM sound.main.t").fetchall() == [(1000, 499500)]
    print(json.dumps(outcome), flush=True)
"""


class Victim:
    def __init__(self, sound):
        self.process = subprocess.Popen([sys.executable, "-c", VICTIM, str(ROOT / "tests" / "support"), str(sound)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def attack(self, path, how):
        """What each statement came to: None, or the error."""
        clock = threading.Timer(30, self.process.kill)
        clock.start()
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        clock.cancel()
        if not line.startswith("["):
            _, err = self.process.communicate()
            pytest.fail(f"{how}: the process is gone ({self.process.returncode}): {line}{err[-2000:]}")
        for error in filter(None, json.loads(line)):
            assert error[0] not in ("InternalException", "FatalException"), (how, error)
            assert "internal error" not in error[1].lower(), (how, error)
        return json.loads(line)


def fill(con, path, properties, alone=False):
    """Seven versions, whose last is a commit alone; without what is older than the last checkpoint, where one stands alone."""
    con.execute(f'CREATE TABLE delta."{path}" (id BIGINT, p INTEGER, s VARCHAR, d DECIMAL(20, 3), t TIMESTAMPTZ, '
                f'o STRUCT(x DOUBLE), l INTEGER[]) USING delta PARTITIONED BY (p) TBLPROPERTIES ({properties})')
    for version in range(1, 7):
        con.execute(f"INSERT INTO delta.\"{path}\" SELECT i, i % 2, 'text ' || i, i / 7, to_timestamp(i * 1e6), "
                    f"{{x: i}}, [i, NULL] FROM range({version * 10}, {version * 10 + 10}) t(i)")
    if alone:
        last = max(int(os.path.basename(name)[:20]) for name in glob.glob(f"{path}/_delta_log/*.checkpoint.*"))
        for name in glob.glob(f"{path}/_delta_log/0*"):
            if int(os.path.basename(name)[:20]) < last or (".json" in name and int(os.path.basename(name)[:20]) == last and
                                                           "checkpoint" not in name):
                os.remove(name)


def with_vectors(path):
    t = Table(path, {"id": "long", "p": "integer"}, partition=["p"], protocol=DV_PROTOCOL)
    uuid = bytes(range(16))
    file = os.path.join(t.path, "deletion_vector_00010203-0405-0607-0809-0a0b0c0d0e0f.bin")
    gone = [list(range(0, 4000, 3)), [5], [i for i in range(9000) if i % 1000 < 500]]
    for i, (offset, size) in enumerate(dv_file(file, gone)):
        t.append(f"{i}.parquet", {"id": pa.array(range(9000), pa.int64())}, partition_values={"p": str(i)},
                 stats={"numRecords": 9000}, dv=relative_dv(uuid, "", offset, size, len(gone[i])))


ROUNDS = 40

#: What is attacked: the table that it is a part of, and which of its files.
KINDS = {
    "commit": ("commits", "_delta_log/*.json"),
    "data": ("commits", "p=*/*.parquet"),
    "checkpoint": ("checkpoint", "_delta_log/*.checkpoint.parquet"),
    "lone checkpoint": ("lone", "_delta_log/*.checkpoint.parquet"),
    "hint": ("lone", "_delta_log/_last_checkpoint"),
    "checksum": ("checkpoint", "_delta_log/*.crc"),
    "manifest": ("v2", "_delta_log/*.checkpoint.*.json"),
    "sidecar": ("v2", "_delta_log/_sidecars/*.parquet"),
    "vector": ("vectors", "*.bin"),
    "commit with vectors": ("vectors", "_delta_log/*.json"),
}


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    con = connect()
    con.execute("SET birdfoot_checkpoints = 'inline'")
    fill(con, folder / "commits", "'delta.checkpointInterval' = '100'")
    fill(con, folder / "checkpoint", "'delta.checkpointInterval' = '3'")
    fill(con, folder / "lone", "'delta.checkpointInterval' = '5'", alone=True)
    fill(con, folder / "v2", "'delta.checkpointInterval' = '5', 'delta.checkpointPolicy' = 'v2'", alone=True)
    with_vectors(folder / "vectors")
    con.execute(f'CREATE TABLE delta."{folder / "sound" / "t"}" AS SELECT i AS id FROM range(1000) t(i)')
    con.close()
    return folder


def mutated(rng, data):
    how = rng.choice(["flip", "flip", "flip", "truncate", "extend", "largest", "zero", "cut", "double", "noise", "empty"])
    at, length = rng.randrange(len(data)), rng.randrange(1, 40)
    if how == "flip":
        data = bytearray(data)
        for _ in range(rng.choice((1, 1, 2, 8))):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        return how, bytes(data)
    return how, {
        "truncate": data[:at],
        "extend": data + rng.randbytes(length),
        "largest": data[:at] + rng.choice((b"\xff\xff\xff\x7f", b"\xff" * 8, b"99999999999999999999")) + data[at + 4:],
        "zero": data[:at] + bytes(length) + data[at + length:],
        "cut": data[:at] + data[at + length:],
        "double": data[:at] + data[max(0, at - length):],
        "noise": data[:at] + rng.randbytes(length) + data[at + length:],
        "empty": b"",
    }[how]


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_bytes(tables, tmp_path, kind):
    table, pattern = KINDS[kind]
    rng = random.Random(crc32(kind.encode()))
    victim = Victim(tables / "sound")
    sound_path = tmp_path / "sound"
    shutil.copytree(tables / table, sound_path)
    assert victim.attack(sound_path, "nothing") == [None] * 6
    for round_ in range(ROUNDS):
        path = tmp_path / str(round_)
        shutil.copytree(tables / table, path)
        if round_ % 4 == 0:
            victim.attack(path, "a first look")  # what is cached then must not hide, or trip over, what comes
        file = rng.choice(sorted(glob.glob(str(path / pattern)), key=os.path.getmtime))  # names are random
        with open(file, "rb") as f:
            how, data = mutated(rng, f.read())
        with open(file, "wb") as f:
            f.write(data)
        victim.attack(path, f"{how} in round {round_} of {file}")
        shutil.rmtree(path)
    victim.process.stdin.close()
    assert victim.process.wait(10) == 0, victim.process.stderr.read()
