"""The same ALTER TABLE statements in Spark and here: the same schema, properties, protocol and history, or an error in both."""
import json
import re

import pytest
from engines import ROOT  # noqa: F401  (the folder of the tests' support is on the path)

START = ("CREATE TABLE delta.`{path}` (id INT NOT NULL, s STRUCT<x: INT, y: STRING>, a ARRAY<STRUCT<e: INT>>, m MAP<STRING, STRUCT<v: INT>>, "
         "ai ARRAY<INT>, p INT, o STRING) USING delta PARTITIONED BY (p)")
PLAIN = """ADD COLUMN c1 STRING COMMENT 'hello'
ADD COLUMNS (c2 INT FIRST, c3 INT AFTER id, s.z INT AFTER x, a.element.f INT, m.value.w STRING FIRST)
ADD COLUMNS (c1 INT)
ADD COLUMNS (nope.x INT)
ADD COLUMNS (id.x INT)
ADD COLUMNS (`q w` INT)
ADD COLUMNS (n INT NOT NULL)
ADD COLUMNS (ntz TIMESTAMP_NTZ)
ADD COLUMNS (vr VARIANT)
ADD COLUMNS (ch CHAR(3), vc VARCHAR(3))
ADD COLUMNS (vd VOID)
RENAME COLUMN id TO id2
DROP COLUMNS (id, c1)
ALTER COLUMN id COMMENT 'the id'
ALTER COLUMN s.x COMMENT 'inner'
ALTER COLUMN a.element COMMENT 'no'
ALTER COLUMN a.element.e COMMENT 'e'
ALTER COLUMN id FIRST
ALTER COLUMN id AFTER c1
ALTER COLUMN s.x AFTER y
ALTER COLUMN id AFTER nope
ALTER COLUMN id COMMENT ''
ALTER COLUMN id DROP NOT NULL
ALTER COLUMN id TYPE BIGINT
ALTER COLUMN id TYPE STRING
CHANGE COLUMN id id INT COMMENT 'old form' AFTER s
ALTER COLUMN p COMMENT 'part'
REPLACE COLUMNS (id BIGINT)
SET TBLPROPERTIES ('delta.enableTypeWidening' = 'true')
ALTER COLUMN id TYPE BIGINT
ALTER COLUMN s.x TYPE BIGINT
ALTER COLUMN ai.element TYPE BIGINT
ALTER COLUMN a.element.e TYPE DOUBLE
ALTER COLUMN id TYPE STRING
ALTER COLUMN c2 TYPE DECIMAL(10,0)
ALTER COLUMN p TYPE BIGINT
ALTER COLUMN ch TYPE VARCHAR(5)
ALTER COLUMN ch TYPE CHAR(5)
ALTER COLUMN vc TYPE STRING
ALTER COLUMN vd TYPE INT
SET TBLPROPERTIES ('k' = 'v', 'K' = 'V', 'comment' = 'hi')
SET TBLPROPERTIES ('delta.nope' = '1')
SET TBLPROPERTIES ('delta.APPENDONLY' = 'true')
SET TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 1 day')
SET TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'nope')
SET TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'id,s.x')
UNSET TBLPROPERTIES ('k', 'comment')
SET TBLPROPERTIES ('delta.feature.deletionVectors' = 'supported')
SET TBLPROPERTIES ('delta.minWriterVersion' = '4', 'delta.minReaderVersion' = '1')
SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')
SET TBLPROPERTIES ('delta.checkpointPolicy' = 'v2')
CLUSTER BY (id)""".splitlines()
MAPPED = """SET TBLPROPERTIES ('delta.columnMapping.mode' = 'id')
SET TBLPROPERTIES ('delta.columnMapping.mode' = 'name')
SET TBLPROPERTIES ('delta.columnMapping.mode' = 'id')
SET TBLPROPERTIES ('delta.columnMapping.maxColumnId' = '99')
SET TBLPROPERTIES ('delta.dataSkippingStatsColumns' = 'id,o')
RENAME COLUMN id TO `new id`
RENAME COLUMN nope TO x
RENAME COLUMN s.x TO S2
RENAME COLUMN `new id` TO p
RENAME COLUMN a.element.e TO ee
RENAME COLUMN m.value.v TO vv
RENAME COLUMN p TO part
RENAME COLUMN o TO `o o`
ADD COLUMNS (`x,y` INT, s.z INT)
UNSET TBLPROPERTIES ('delta.dataSkippingStatsColumns')
DROP COLUMN part
DROP COLUMN nope
DROP COLUMN s.y
DROP COLUMN a.element.ee
DROP COLUMN a.element
DROP COLUMNS (`x,y`, `o o`)
ADD COLUMNS (o STRING)""".splitlines()


def state(path):
    """Schema, configuration, protocol and history, without what is random."""
    commits = sorted((path / "_delta_log").glob("*.json"))
    metadata, protocol, history = None, None, []
    for commit in commits:
        for line in commit.read_text().splitlines():
            action = json.loads(line)
            metadata = action.get("metaData", metadata)
            protocol = action.get("protocol", protocol)
            if "commitInfo" in action:
                parameters = {k: without_random(loaded(v)) for k, v in action["commitInfo"]["operationParameters"].items() if v is not None}
                history.append((action["commitInfo"]["operation"], parameters))
    for kind in ("readerFeatures", "writerFeatures"):
        protocol[kind] = sorted(protocol.get(kind) or [])
    return {"schema": without_random(json.loads(metadata["schemaString"])), "partitions": metadata["partitionColumns"],
            "configuration": metadata["configuration"], "protocol": protocol, "description": metadata.get("description"),
            "history": history}


def loaded(value):
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def without_random(value):
    return json.loads(re.sub(r"col-[0-9a-f-]{36}", "col-", json.dumps(value)))


def outcome(run):
    try:
        run()
        return "done"
    except Exception as error:  # noqa: BLE001  (each engine has its own)
        found = re.search(r"\b(DELTA_[A-Z_]+)", str(error))
        return found.group(1) if found else "error"


@pytest.mark.parametrize("statements", [PLAIN, MAPPED], ids=["plain", "mapped"])
def test_the_same_statements_do_the_same(bird, spark, tmp_path, statements):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    bird.execute(START.format(path=ours))
    spark.sql(START.format(path=theirs))
    for statement in statements:
        here = outcome(lambda: bird.execute(f"ALTER TABLE delta.`{ours}` {statement}"))
        there = outcome(lambda: spark.sql(f"ALTER TABLE delta.`{theirs}` {statement}"))
        # Where Spark's own analysis refuses first, its error is none of Delta's.
        assert here == there or (there == "error" and here != "done"), (statement, here, there)
        mine, spark_state = state(ours), state(theirs)
        for part, value in mine.items():
            assert value == spark_state[part], (statement, part)
