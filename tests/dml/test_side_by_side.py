"""Two transactions at a time: what was committed is what the one behind the other would have made, in the order of their versions; a
transaction that cannot be put behind the other fails with a DELTA_CONCURRENT error and changes nothing. Random statements, as in
test_random; BIRDFOOT_DML_SECONDS is the time for each configuration (default 10), BIRDFOOT_DML_SEED one run again."""
import os
import random
import time

import pytest
from duckdb import TransactionException
from engines import connect, rows_of
from table_check import check_table
from test_random import TYPES, Statements, plainly, properties

SECONDS = float(os.environ.get("BIRDFOOT_DML_SECONDS", "10"))
SEED = os.environ.get("BIRDFOOT_DML_SEED")
CONFIGS = {
    "copies-partitioned": {"partitioned": True},
    "vectors": {"vectors": True},
    "vectors-feed-row-ids": {"vectors": True, "feed": True, "rows": True},
    "vectors-names-partitioned": {"vectors": True, "mapping": "name", "partitioned": True},
}
# One row of many, chosen by what is in it: what two of them do to different rows of one file gets along.
NARROW = ["DELETE FROM {{t}} AS t WHERE id = {0}", "UPDATE {{t}} AS t SET a = a + 1 WHERE id = {0}",
          "UPDATE {{t}} AS t SET b = 'changed', d = NULL WHERE t.st.x = {0} % 9 AND id > {0}",
          "MERGE INTO {{t}} t USING (SELECT {0} AS id, 5 AS a) s ON t.id = s.id WHEN MATCHED AND t.a > 3 THEN DELETE WHEN MATCHED THEN UPDATE SET a = s.a",
          "MERGE INTO {{t}} t USING (SELECT {0} AS id) s ON t.id = s.id WHEN MATCHED AND t.a > 15 THEN DELETE WHEN NOT MATCHED THEN INSERT (id, p) VALUES (s.id, 'a')"]


def any_statement(rng):
    if rng.random() < 0.6:
        return rng.choice(NARROW).format(rng.randrange(60))
    return Statements(rng).any()


def latest(root):
    return max(name for name in os.listdir(f"{root}/_delta_log") if name.endswith(".json"))


def run_one(first, second, root, config, seed):
    """Whether both were committed and both had changed something."""
    rng, table = random.Random(seed), f'delta."{root}"'
    con = connect()
    with_ = f" WITH ({properties(config)})" if properties(config) else ""
    con.execute(f"CREATE TABLE {table} ({TYPES}){' PARTITIONED BY (p)' if config.get('partitioned') else ''}{with_}")
    con.execute(f"CREATE TABLE plain ({TYPES})")
    fill = Statements(rng).insert()
    for name in ("plain", table):
        con.execute(fill.replace("{t}", name))
    slow, fast = [any_statement(rng) for _ in range(rng.randrange(1, 3))], any_statement(rng)
    try:
        start = rows_of(con.execute("FROM plain"))
        first.execute("BEGIN")
        for statement in slow:
            first.execute(statement.replace("{t}", table))
        second.execute(fast.replace("{t}", table))
        con.execute(plainly(con, fast))
        between, version = rows_of(con.execute("FROM plain")), latest(root)
        try:
            first.execute("COMMIT")
        except TransactionException as error:
            assert "DELTA_CONCURRENT" in str(error)
            assert latest(root) == version
        if latest(root) > version:  # one that has changed nothing came before the other
            for statement in slow:
                con.execute(plainly(con, statement))
        after = rows_of(con.execute("FROM plain"))
        assert rows_of(connect().execute(f"FROM {table}")) == after
        check_table(root)
        return start != between != after
    except Exception as error:
        raise AssertionError(f"BIRDFOOT_DML_SEED={seed} {config}:\n{fill}\nslow: {slow}\nfast: {fast}\n{error}") from error


@pytest.mark.parametrize("name", CONFIGS)
def test_one_behind_the_other(tmp_path, name):
    first, second = connect(), connect()
    if SEED:
        run_one(first, second, str(tmp_path / "t"), CONFIGS[name], int(SEED))
        return
    until, runs, both = time.monotonic() + SECONDS, 0, 0
    while time.monotonic() < until or runs < 20:
        runs += 1
        both += run_one(first, second, str(tmp_path / f"t{runs}"), CONFIGS[name], runs)
    assert both > runs / 50, f"{both} of {runs} got along"
