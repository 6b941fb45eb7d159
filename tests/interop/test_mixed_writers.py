"""Birdfoot, Spark and delta-rs write one table in turn: nothing is lost, everybody sees the same.

In test_changes_in_turn each inserts, updates, deletes and merges into a table with vectors and a change feed, and after each commit
the rows are those of a model in plain Python; at the end the three report the same history of changes, and every row that lived on
has kept its row id. delta-rs 1.6.6 refuses to write a table with row tracking (it lacks `rowTracking` and `domainMetadata`), so there it
only reads, and a second table without row tracking has all three for writers. BIRDFOOT_COMMITS is how many changes each table sees: 12
unless said, which is each kind by each of three writers once."""
import os
import random

import pyarrow
import pytest
from deltalake import DeltaTable, write_deltalake
from engines import bird_rows, rows_of, rs_rows, spark_rows
from table_check import check_table

COMMITS = int(os.environ.get("BIRDFOOT_COMMITS", "12"))
KINDS = ("insert", "update", "delete", "merge")
TABLES = {  # properties beside vectors and change feed, who writes
    "row ids": (", 'delta.enableRowTracking' = 'true'", ("birdfoot", "spark")),
    "three writers": ("", ("birdfoot", "spark", "delta-rs")),
}
FEED = ["id", "v", "s", "_change_type", "_commit_version"]


def test_three_append_in_turn(bird, spark, tmp_path):
    path = tmp_path / "t"
    bird.execute(f"CREATE TABLE delta.`{path}` (id BIGINT, who STRING, day DATE) USING delta PARTITIONED BY (day)")
    expected = []
    for i in range(30):
        who = ("birdfoot", "spark", "delta-rs")[i % 3]
        day = f"2024-01-{i % 4 + 1:02d}"
        expected.append((i, who, day))
        if who == "birdfoot":
            bird.execute(f"INSERT INTO delta.\"{path}\" VALUES ({i}, '{who}', DATE '{day}')")
        elif who == "spark":
            forget(spark)
            spark.sql(f"INSERT INTO delta.`{path}` VALUES ({i}, '{who}', DATE'{day}')")
        else:
            rows = pyarrow.table({"id": pyarrow.array([i], pyarrow.int64()), "who": [who],
                                  "day": pyarrow.array([day]).cast(pyarrow.date32())})
            write_deltalake(str(path), rows, mode="append")
    want = sorted(((i, who, day) for i, who, day in expected), key=repr)
    as_text = lambda rows: sorted(((i, who, str(day)) for i, who, day in rows), key=repr)
    assert as_text(bird_rows(bird, path)) == want
    assert as_text(spark_rows(spark, path)) == want
    assert as_text(rs_rows(path)) == want
    assert bird.execute(f'SELECT max(version) FROM birdfoot_history(\'{path}\')').fetchone() == (30,)
    for version in (1, 10, 20, 30):
        rows = bird.execute(f'SELECT count(*) FROM delta."{path}" AT (VERSION => {version})').fetchone()
        assert rows == (version,)


class Change:
    """What one commit does to the model, which is {id: (v, s)}, and how each engine is told."""

    def __init__(self, kind, number, model, next_id):
        some = random.Random(number).sample(sorted(model), 9)
        self.kind, self.mark = kind, f"{kind} {number}"
        self.new = {next_id + i: (number * 10 + i, self.mark) for i in range(3)} if kind in ("insert", "merge") else {}
        self.changed = {i: (model[i][0] + 1, self.mark) for i in some[:6]} if kind in ("update", "merge") else {}
        self.gone = {i: model[i] for i in some[6:]} if kind in ("delete", "merge") else {}
        self.source = [(i, *row, i in self.gone) for i, row in {**self.gone, **self.changed, **self.new}.items()]

    def apply(self, model):
        return {i: row for i, row in {**model, **self.changed, **self.new}.items() if i not in self.gone}

    def feed(self, version, model):
        """The rows that the change feed owes for it."""
        kinds = {"update_preimage": {i: model[i] for i in self.changed}, "update_postimage": self.changed, "delete": self.gone,
                 "insert": self.new}
        return [(i, *row, kind, version) for kind, rows in kinds.items() for i, row in rows.items()]

    def in_sql(self, table):
        if self.kind == "insert":
            return f"INSERT INTO {table} VALUES " + ", ".join(f"({i}, {v}, '{s}')" for i, (v, s) in self.new.items())
        if self.kind == "update":
            return f"UPDATE {table} SET v = v + 1, s = '{self.mark}' WHERE {among(self.changed)}"
        if self.kind == "delete":
            return f"DELETE FROM {table} WHERE {among(self.gone)}"
        source = " UNION ALL ".join(f"SELECT {i} AS id, {v} AS v, '{s}' AS s, {gone} AS gone" for i, v, s, gone in self.source)
        return f"""MERGE INTO {table} AS t USING ({source}) AS s ON t.id = s.id WHEN MATCHED AND s.gone THEN DELETE
            WHEN MATCHED THEN UPDATE SET v = t.v + 1, s = s.s WHEN NOT MATCHED THEN INSERT (id, v, s) VALUES (s.id, s.v, s.s)"""

    def by_delta_rs(self, path):
        table = DeltaTable(path)
        columns = zip(("id", "v", "s", "gone"), (pyarrow.int32(), pyarrow.int32(), pyarrow.string(), pyarrow.bool_()), zip(*self.source))
        if self.kind == "insert":
            write_deltalake(table, pyarrow.table({n: pyarrow.array(c, t) for n, t, c in columns}).drop_columns("gone"), mode="append")
        elif self.kind == "update":
            table.update(updates={"v": "v + 1", "s": f"'{self.mark}'"}, predicate=among(self.changed))
        elif self.kind == "delete":
            table.delete(among(self.gone))
        else:
            source = pyarrow.table({n: pyarrow.array(c, t) for n, t, c in columns})
            (table.merge(source, "t.id = s.id", source_alias="s", target_alias="t").when_matched_delete("s.gone")
             .when_matched_update({"v": "t.v + 1", "s": "s.s"}).when_not_matched_insert({c: f"s.{c}" for c in ("id", "v", "s")}).execute())


def among(ids):
    return f"id IN ({', '.join(map(str, ids))})"


@pytest.mark.parametrize("name", TABLES)
def test_changes_in_turn(bird, spark, tmp_path, name):
    properties, writers = TABLES[name]
    path = str(tmp_path / "t")
    model, next_id = {i: (i, f"first {i}") for i in range(100)}, 100
    feed = [(i, *row, "insert", 1) for i, row in model.items()]
    bird.execute(f"""CREATE TABLE delta."{path}" (id INT, v INT, s STRING) USING delta TBLPROPERTIES (
        'delta.enableDeletionVectors' = 'true', 'delta.enableChangeDataFeed' = 'true'{properties})""")
    bird.execute(f"INSERT INTO delta.\"{path}\" SELECT i, i, 'first ' || i FROM range(100) r(i)")
    row_ids = row_ids_of(bird, path) if properties else {}
    for number in range(COMMITS):
        writer, version = writers[number % len(writers)], number + 2
        change = Change(KINDS[number // len(writers) % len(KINDS)], number, model, next_id)
        if writer == "birdfoot":
            bird.execute(change.in_sql(f'delta."{path}"'))
        elif writer == "spark":
            forget(spark)
            spark.sql(change.in_sql(f"delta.`{path}`"))
        else:
            change.by_delta_rs(path)
        feed += change.feed(version, model)
        model, next_id = change.apply(model), next_id + len(change.new)
        want = rows_of([(i, *row) for i, row in model.items()])
        assert bird_rows(bird, path) == want, f"{change.mark} by {writer}"
        assert rs_rows(path) == want, f"{change.mark} by {writer}"
        if writer != "spark" or version == COMMITS + 1:  # else it reads what another writes next, and time is dear
            assert spark_rows(spark, path) == want, f"{change.mark} by {writer}"
        if properties:  # of all rows that have ever been each has one id, and each id one row
            for i, row_id in row_ids_of(bird, path).items():
                assert row_ids.setdefault(i, row_id) == row_id, f"row {i}, {change.mark} by {writer}"
            assert len(set(row_ids.values())) == len(row_ids), f"a row id came twice, {change.mark} by {writer}"
    assert bird.execute(f"SELECT max(version) FROM birdfoot_history('{path}')").fetchone() == (COMMITS + 1,)
    forget(spark)
    select = f"SELECT {', '.join(FEED)} FROM table_changes_by_path('{path}', 1)"
    assert rows_of(bird.execute(select)) == rows_of(feed)
    assert rows_of(spark.sql(select)) == rows_of(feed)
    theirs = pyarrow.table(DeltaTable(path).load_cdf(starting_version=1, columns=FEED)).select(FEED)
    assert rows_of([tuple(row.values()) for row in theirs.to_pylist()]) == rows_of(feed)
    if properties:
        ours = rows_of(bird.execute(f'SELECT id, _row_id, _row_commit_version FROM delta."{path}"'))
        assert ours == rows_of(spark.sql(f"SELECT id, _metadata.row_id, _metadata.row_commit_version FROM delta.`{path}`"))
    check_table(path)


def row_ids_of(bird, path):
    return dict(bird.execute(f'SELECT id, _row_id FROM delta."{path}"').fetchall())


def forget(spark):
    """Another process wrote: Spark must not answer from its cache of the log."""
    spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
