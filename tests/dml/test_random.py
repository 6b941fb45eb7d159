"""Random DELETE, UPDATE, MERGE and INSERT statements on a random table give the rows that a plain DuckDB table gives for the
same statements, whatever the Delta table keeps. BIRDFOOT_DML_SECONDS is the time for each configuration (default 25,
five minutes in all); BIRDFOOT_DML_SEED names one run again, as a failure says it."""
import glob
import json
import os
import random
import re
import time
import urllib.parse

import pytest
from engines import connect, rows_of
from table_check import check_table

SECONDS = float(os.environ.get("BIRDFOOT_DML_SECONDS", "25"))
SEED = os.environ.get("BIRDFOOT_DML_SEED")
COLUMNS = ["id", "p", "a", "b", "d", "st"]
TYPES = "id BIGINT, p VARCHAR, a INTEGER, b VARCHAR, d DOUBLE, st STRUCT(x INTEGER, y VARCHAR)"

CONFIGS = {
    "copies": {},
    "vectors": {"vectors": True},
    "copies-partitioned": {"partitioned": True},
    "vectors-partitioned": {"vectors": True, "partitioned": True},
    "copies-feed": {"feed": True},
    "vectors-feed-partitioned": {"vectors": True, "feed": True, "partitioned": True},
    "copies-names-partitioned": {"mapping": "name", "partitioned": True},
    "vectors-ids-feed": {"vectors": True, "mapping": "id", "feed": True},
    "copies-row-ids": {"rows": True},
    "vectors-row-ids-partitioned": {"vectors": True, "rows": True, "partitioned": True},
    "copies-checkpoints": {"checkpoints": "classic"},
    "vectors-row-ids-v2-checkpoints": {"vectors": True, "rows": True, "checkpoints": "v2"},
}


def properties(config):
    found = {}
    if config.get("vectors"):
        found["delta.enableDeletionVectors"] = "true"
    if config.get("feed"):
        found["delta.enableChangeDataFeed"] = "true"
    if config.get("mapping"):
        found["delta.columnMapping.mode"] = config["mapping"]
    if config.get("rows"):
        found["delta.enableRowTracking"] = "true"
    if config.get("checkpoints"):
        found |= {"delta.checkpointInterval": "1", "delta.checkpointPolicy": config["checkpoints"]}
    return ", ".join(f"'{k}' = '{v}'" for k, v in found.items())


class Statements:
    """Statements with {t} for the target. None has an expression that may fail: DuckDB's own MERGE computes all of them."""

    def __init__(self, rng):
        self.rng = rng

    def literal(self, column):
        rng = self.rng
        if rng.random() < 0.1:
            return "NULL"
        return {"id": lambda: str(rng.randrange(60)), "p": lambda: repr(rng.choice("abcd")),
                "a": lambda: str(rng.randrange(-5, 20)), "b": lambda: repr(f"v{rng.randrange(12)}"),
                "d": lambda: str(rng.choice([0.5, -1.25, 3.0, 1e9])),
                "st": lambda: f"{{'x': {rng.randrange(9)}, 'y': 'y{rng.randrange(3)}'}}"}[column]()

    def condition(self, q):
        rng = self.rng
        make = rng.choice([
            lambda: f"{q}.id {rng.choice(['=', '<', '>=', '<>'])} {rng.randrange(60)}",
            lambda: f"{q}.id % {rng.randrange(2, 7)} = {rng.randrange(3)}",
            lambda: f"{q}.p = {rng.choice('abcd')!r}",
            lambda: f"{q}.p IN ('a', {rng.choice('bcd')!r})",
            lambda: f"{q}.p IS {rng.choice(['', 'NOT '])}NULL",
            lambda: f"{q}.a {rng.choice(['<', '>', '='])} {rng.randrange(-5, 20)}",
            lambda: f"{q}.b LIKE 'v1%'",
            lambda: f"{q}.d IS NOT DISTINCT FROM {self.literal('d')}",
            lambda: f"{q}.st.x > {rng.randrange(9)}",
            lambda: f"coalesce({q}.a, 0) + {q}.id > {rng.randrange(60)}",
            lambda: f"({self.condition(q)} {rng.choice(['AND', 'OR'])} {self.condition(q)})",
            lambda: f"NOT ({self.condition(q)})",
            lambda: f"{q}.id IN (SELECT k.id + {rng.randrange(3)} FROM {{t}} k WHERE k.a > {rng.randrange(15)})",
            lambda: f"EXISTS (SELECT 1 FROM {{t}} k WHERE k.id = {q}.a)",
            lambda: f"{q}.a >= (SELECT avg(k.a) FROM {{t}} k)",
        ])
        return make()

    def value(self, column, q):
        rng = self.rng
        if rng.random() < 0.4:
            return self.literal(column)
        return {"id": lambda: f"{q}.id + {rng.randrange(3)}", "p": lambda: f"coalesce({q}.p, 'd')",
                "a": lambda: rng.choice([f"{q}.a + 1", f"-{q}.a", f"{q}.id::INTEGER",
                                         "(SELECT count(*) FROM {t})::INTEGER"]),
                "b": lambda: f"concat({q}.b, {rng.choice('xyz')!r})[1:6]", "d": lambda: f"{q}.d / 2",
                "st": lambda: f"{{'x': {q}.a, 'y': {q}.b}}"}[column]()

    def assignments(self, q):
        columns = self.rng.sample(COLUMNS, self.rng.randrange(1, 4))
        return ", ".join(f"{c} = {self.value(c, q)}" for c in columns)

    def source(self):
        rng = self.rng
        if rng.random() < 0.3:
            return f"(SELECT DISTINCT ON (id) * FROM {{t}} WHERE {self.condition('{t}')} ORDER BY ALL)"
        first, count = rng.randrange(60), rng.randrange(1, 25)
        return (f"(SELECT i AS id, chr((97 + i % 5)::INTEGER) AS p, (i % 20)::INTEGER AS a, 'v' || i % 7 AS b, "
                f"i / 4 AS d, {{'x': (i % 9)::INTEGER, 'y': 'm'}} AS st "
                f"FROM range({first}, {first + count * 2}, 2) r(i))")

    def merge(self):
        rng = self.rng
        text = f"MERGE INTO {{t}} t USING {self.source()} s ON t.id = s.id"
        if rng.random() < 0.3:
            text += f" AND t.p = {rng.choice('abcd')!r}"
        clauses = []
        for kind, quals in (("MATCHED", "ts"), ("NOT MATCHED", "s"), ("NOT MATCHED BY SOURCE", "t")):
            for last in [False] * rng.randrange(2) + ([True] if rng.random() < 0.6 else []):
                clause = f"WHEN {kind}"
                if not last or rng.random() < 0.4:
                    clause += f" AND {self.condition(rng.choice(quals))}"
                if kind == "NOT MATCHED":
                    columns = rng.choice([COLUMNS, ["id", "p"], ["st", "id", "d"]])
                    action = (f"INSERT ({', '.join(columns)}) VALUES "
                              f"({', '.join(self.value(c, 's') if rng.random() < 0.5 else 's.' + c for c in columns)})")
                else:
                    action = rng.choice(["DELETE", "DO NOTHING", None, None]) or (
                        "UPDATE SET " + self.assignments(rng.choice(quals)))
                clauses.append(clause + " THEN " + action)
        return text + " " + " ".join(clauses) if clauses else self.delete()

    def delete(self):
        if self.rng.random() < 0.03:
            return "DELETE FROM {t}"
        return f"DELETE FROM {{t}} AS t WHERE {self.condition('t')} AND t.id % 3 < 2"

    def update(self):
        where = f" WHERE {self.condition('t')}" if self.rng.random() < 0.95 else ""
        return f"UPDATE {{t}} AS t SET {self.assignments('t')}{where}"

    def insert(self):
        return (f"INSERT INTO {{t}} SELECT i, CASE WHEN i % 11 > 0 THEN chr((97 + i % 4)::INTEGER) END, (i % 23)::INTEGER, "
                f"'v' || i % 12, i / 8, {{'x': (i % 9)::INTEGER, 'y': 'n'}} FROM range({self.rng.randrange(60)}, "
                f"{self.rng.randrange(60, 90)}) r(i)")

    def any(self):
        return self.rng.choices([self.delete, self.update, self.merge, self.insert], [3, 5, 8, 2])[0]()


def plainly(con, statement):
    """For the plain table. DuckDB 1.5.5 cannot plan most sub-queries in a MERGE that has clauses for rows NOT MATCHED BY
    SOURCE ("Failed to bind column reference"), so there they are what they give."""
    if statement.startswith("MERGE"):
        statement = re.sub(r"EXISTS \(SELECT 1 FROM \{t\} k WHERE k\.id = (\w\.a)\)",
                           r"coalesce(\1 IN (SELECT k.id FROM {t} k WHERE k.id IS NOT NULL), false)", statement)
        for query in set(re.findall(r"\((SELECT (?:k\.id|avg\(k\.a\)|count\(\*\))[^()]*)\)", statement)):
            values = [row[0] for row in con.execute(query.replace("{t}", "plain")).fetchall()]
            values = ["NULL" if value is None else repr(value) for value in values] or ["-1000000"]  # the id of no row
            statement = statement.replace(f"({query})", f"({', '.join(values)})")
    return statement.replace("{t}", "plain")


class Pair:
    def __init__(self, con, root, config):
        self.con, self.root, self.config = con, root, config
        self.delta = f'delta."{root}"'
        with_ = f" WITH ({properties(config)})" if properties(config) else ""
        by = " PARTITIONED BY (p)" if config.get("partitioned") else ""
        con.execute(f"CREATE TABLE {self.delta} ({TYPES}){by}{with_}")
        con.execute(f"CREATE OR REPLACE TABLE plain ({TYPES})")
        self.version = 0

    def run(self, statement):
        if statement.startswith(("DELETE", "UPDATE")) and len(statement) % 3 == 0:
            statement += " RETURNING *"
            assert rows_of(self.con.execute(statement.replace("{t}", self.delta))) == rows_of(self.con.execute(plainly(self.con, statement)))
            return
        mine = self.con.execute(plainly(self.con, statement)).fetchone()
        ours = self.con.execute(statement.replace("{t}", self.delta)).fetchone()
        if not statement.startswith("MERGE"):  # DuckDB counts rows there that it does nothing with
            assert ours == mine

    def transaction(self, statements, commit):
        """The plain table's transaction comes first: one transaction writes one database."""
        for table in ("plain", self.delta):
            self.con.execute("BEGIN")
            for statement in statements:
                self.con.execute(plainly(self.con, statement) if table == "plain" else statement.replace("{t}", table))
            if table != "plain":
                self.compare()
            self.con.execute("COMMIT" if commit or table == "plain" else "ROLLBACK")
        if not commit:
            self.con.execute(f"DELETE FROM plain; INSERT INTO plain FROM {self.delta}")

    def compare(self):
        for left, right in (("plain", self.delta), (self.delta, "plain")):
            rest = self.con.execute(f"FROM {left} EXCEPT ALL FROM {right} LIMIT 3").fetchall()
            assert not rest, f"{left} has rows that {right} lacks: {rest}"

    def check_feed(self, before):
        """What was there, with the changes made to it, is what is there now."""
        version = self.latest()
        if version == self.version:
            return
        changes = f"(FROM table_changes('{self.root}', {self.version + 1}, {version}))"
        columns = ", ".join(COLUMNS)
        # Net changes: what is said to have gone was there before, what is said to have come is there now.
        for table, kinds in ((before, "'delete', 'update_preimage'"), ("plain", "'insert', 'update_postimage'")):
            rest = self.con.execute(f"""SELECT {columns} FROM {changes} WHERE _change_type IN ({kinds})
                EXCEPT ALL FROM {table} LIMIT 3""").fetchall()
            assert not rest, f"changes {self.version + 1} to {version}: {kinds} of rows that are not in {table}: {rest}"
        pairs = self.con.execute(f"SELECT count(*) FILTER (_change_type = 'update_preimage'), "
                                 f"count(*) FILTER (_change_type = 'update_postimage') FROM {changes}").fetchone()
        assert pairs[0] == pairs[1]
        self.con.execute(f"""CREATE OR REPLACE TEMP TABLE replayed AS
            (FROM {before} UNION ALL SELECT {columns} FROM {changes} WHERE _change_type IN ('insert', 'update_postimage'))
            EXCEPT ALL SELECT {columns} FROM {changes} WHERE _change_type IN ('delete', 'update_preimage')""")
        for left, right in (("plain", "replayed"), ("replayed", "plain")):
            rest = self.con.execute(f"FROM {left} EXCEPT ALL FROM {right} LIMIT 3").fetchall()
            assert not rest, f"changes {self.version + 1} to {version}: {left} has rows that {right} lacks: {rest}"

    def latest(self):
        return max(int(os.path.basename(f)[:20]) for f in glob.glob(f"{self.root}/_delta_log/*.json"))

    def check_log(self):
        """The table by an independent look, and by a process that has not seen how it came to be; files of no version are not there,
        row ids are unique."""
        check_table(self.root)
        assert rows_of(connect().execute(f"FROM {self.delta}")) == rows_of(self.con.execute("FROM plain"))
        named = set()
        for file in glob.glob(f"{self.root}/_delta_log/*.json"):
            for line in open(file):
                for kind, action in json.loads(line).items():
                    if kind in ("remove", "add", "cdc"):
                        named.add(urllib.parse.unquote(action["path"]))
        there = {os.path.relpath(f, self.root) for f in glob.glob(f"{self.root}/**/*.parquet", recursive=True)}
        there = {path for path in there if not path.startswith("_delta_log/")}
        assert there <= named, f"files of no version: {there - named}"
        if self.config.get("rows"):
            ids = self.con.execute(f"SELECT count(*), count(DISTINCT _row_id) FROM {self.delta}").fetchone()
            assert ids[0] == ids[1]


def run_one(con, root, config, seed):
    rng = random.Random(seed)
    statements, pair, log = Statements(rng), Pair(con, root, config), []
    # Files of any size are updated column by column, or none of these.
    con.execute(f"SET birdfoot_column_update_min_bytes = {rng.choice([0, 1 << 20])}")
    try:
        pair.run(statements.insert())
        for _ in range(rng.randrange(5, 14)):
            pair.version = pair.latest()
            if config.get("feed"):
                con.execute("CREATE OR REPLACE TEMP TABLE earlier AS FROM plain")
            if rng.random() < 0.2:
                several, commit = [statements.any() for _ in range(rng.randrange(2, 5))], rng.random() < 0.7
                log.append((several, commit))
                pair.transaction(several, commit)
            else:
                log.append(statements.any())
                pair.run(log[-1])
            pair.compare()
            if config.get("feed"):
                pair.check_feed("earlier")
        pair.check_log()
    except Exception as error:
        raise AssertionError(f"BIRDFOOT_DML_SEED={seed} {config}:\n" + "\n".join(map(str, log)) + f"\n{error}") from error


@pytest.mark.parametrize("name", CONFIGS)
def test_random_statements(bird, tmp_path, name):
    config = CONFIGS[name]
    bird.execute("SET threads = 2")
    if SEED:
        run_one(bird, str(tmp_path / "t"), config, int(SEED))
        return
    until, runs = time.monotonic() + SECONDS, 0
    while time.monotonic() < until or runs == 0:
        runs += 1
        run_one(bird, str(tmp_path / f"t{runs}"), config, runs)
