"""What history says of DELETE, UPDATE and MERGE: the names and numbers that Spark 4.2 with Delta 4.4 gave for the same
statements on the same rows."""
import glob
import json
import os

import pytest


def commit(path, version=-1):
    file = sorted(glob.glob(os.path.join(path, "_delta_log", "*.json")))[version]
    return [json.loads(line) for line in open(file)]


@pytest.mark.parametrize("vectors", ["false", "true"])
def test_history_says_what_spark_would(bird, tmp_path, vectors):
    path = str(tmp_path / "t")
    bird.execute(f'CREATE TABLE delta."{path}" (id INTEGER, p VARCHAR, v INTEGER) PARTITIONED BY (p) '
                 f"WITH ('delta.enableDeletionVectors' = {vectors})")
    bird.execute(f"INSERT INTO delta.\"{path}\" SELECT i, CASE WHEN i < 50 THEN 'a' ELSE 'b' END, 0 FROM range(100) r(i)")
    on = vectors == "true"

    def info(statement):
        bird.execute(statement.replace("{t}", f'delta."{path}"'))
        return commit(path)[0]["commitInfo"]

    update = info("UPDATE {t} SET v = 1 WHERE id = 3")
    assert (update["operation"], update["operationParameters"]) == ("UPDATE", {"predicate": '["(id = 3)"]'})
    assert {k: v for k, v in update["operationMetrics"].items() if "Bytes" not in k and "Time" not in k} == {
        "numUpdatedRows": "1", "numCopiedRows": "0" if on else "49", "numAddedFiles": "1",
        "numRemovedFiles": "1", "numAddedChangeFiles": "0",
        "numDeletionVectorsAdded": "1" if on else "0", "numDeletionVectorsUpdated": "0", "numDeletionVectorsRemoved": "0"}
    assert info("UPDATE {t} SET v = 9")["operationParameters"] == {"predicate": "[]"}
    delete = info("DELETE FROM {t} WHERE id = 7")
    assert (delete["operation"], delete["operationParameters"]) == ("DELETE", {"predicate": '["(id = 7)"]'})
    merge = info("""MERGE INTO {t} t USING (VALUES (61, 100), (62, 5), (500, 1)) s(id, v) ON t.id = s.id
        WHEN MATCHED AND s.v > 50 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v
        WHEN NOT MATCHED BY SOURCE AND t.id = 70 THEN DELETE WHEN NOT MATCHED BY SOURCE AND t.id = 71 THEN UPDATE SET v = -1""")
    assert merge["operation"] == "MERGE"
    assert {k: json.loads(v) for k, v in merge["operationParameters"].items()} == {
        "predicate": ["(id = id)"],
        "matchedPredicates": [{"predicate": "(v > 50)", "actionType": "delete"}, {"actionType": "update"}],
        "notMatchedPredicates": [],
        "notMatchedBySourcePredicates": [{"predicate": "(id = 70)", "actionType": "delete"},
                                         {"predicate": "(id = 71)", "actionType": "update"}]}
    assert {k: v for k, v in merge["operationMetrics"].items() if "Bytes" not in k and "Time" not in k and "Files" not in k
            and "Vectors" not in k} == {
        "numSourceRows": "3", "numTargetRowsInserted": "0", "numTargetRowsUpdated": "2", "numTargetRowsMatchedUpdated": "1",
        "numTargetRowsNotMatchedBySourceUpdated": "1", "numTargetRowsDeleted": "2", "numTargetRowsMatchedDeleted": "1",
        "numTargetRowsNotMatchedBySourceDeleted": "1", "numTargetRowsCopied": "0" if on else "46",
        "numOutputRows": "2" if on else "48"}
    truncate = info("TRUNCATE TABLE {t}")
    assert (truncate["operation"], truncate["operationParameters"]) == ("TRUNCATE", {})
    assert set(truncate["operationMetrics"]) == {"numRemovedFiles", "executionTimeMs"}


@pytest.mark.parametrize("value", ["(SELECT 8)", "(SELECT max(w) FROM (VALUES (3, 8), (4, 9)) s(k, w) WHERE s.k = id)",
                                   "CASE WHEN id IN (SELECT 3) THEN 8 END"])
def test_history_has_the_where_of_an_update_with_subqueries(bird, tmp_path, value):
    path = str(tmp_path / "t")
    bird.execute(f'CREATE TABLE delta."{path}" AS SELECT i AS id, 0 AS v FROM range(10) r(i)')
    for where, predicate in ((" WHERE id = 3", '["(id = 3)"]'), ("", "[]")):
        bird.execute(f'UPDATE delta."{path}" SET v = {value}{where}')
        assert commit(path)[0]["commitInfo"]["operationParameters"] == {"predicate": predicate}
