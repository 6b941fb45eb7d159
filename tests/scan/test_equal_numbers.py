"""Numbers that are equal with other bits, zero with a sign and the forms of NaN, are found in files with dictionaries and Bloom filters,
whoever asks: a filter, a join, IN, DELETE, UPDATE and MERGE."""
import pytest
from engines import live_files

MAKE = "SELECT i AS id, CASE i % 4 WHEN 0 THEN {zero} WHEN 1 THEN {nan} ELSE i % 4 END::{type} AS d FROM range(6000) r(i)"


def table(con, path, type, zero):
    nan = "('inf'::DOUBLE - 'inf'::DOUBLE)"  # another NaN than the text 'NaN'
    query = MAKE.format(zero=f"{zero}::{type}", nan=nan, type=type)
    con.execute(f"CREATE OR REPLACE TABLE delta.\"{path}\" AS {query}")
    file, = live_files(path)
    chunks = con.execute(f"SELECT encodings, bloom_filter_offset FROM parquet_metadata('{file}') WHERE path_in_schema = 'd'").fetchall()
    assert all("DICTIONARY" in encodings and bloom for encodings, bloom in chunks)  # else this would test nothing


@pytest.mark.parametrize("type", ["DOUBLE", "FLOAT"])
@pytest.mark.parametrize("zero,asked", [("0.0", "'-0.0'"), ("'-0.0'", "0.0"), ("0.0", "'NaN'")])
def test_equal_numbers_are_found(bird, tmp_path, type, zero, asked):
    path = tmp_path / "t"
    t, value = f'delta."{path}"', f"{asked}::{type}"
    table(bird, path, type, zero)
    for query in (f"WHERE d = {value}", f"WHERE d IN ({value}, 77)", f"JOIN (SELECT {value} AS v) ON d = v", f"WHERE d IN (SELECT {value})",
                  f"WHERE d IS NOT DISTINCT FROM {value}", f"WHERE d = {value} AND id >= 0"):
        assert bird.execute(f"SELECT count(*) FROM {t} {query}").fetchone() == (1500,), query
    assert bird.execute(f"SELECT count(*) FROM {t} WHERE d <> {value}").fetchone() == (4500,)
    assert bird.execute(f"UPDATE {t} SET id = -id - 1 WHERE d = {value}").fetchone() == (1500,)
    assert bird.execute(f"MERGE INTO {t} t USING (SELECT {value} AS d) s ON t.d = s.d WHEN MATCHED THEN UPDATE SET id = 7777 "
                        "WHEN NOT MATCHED THEN INSERT (id, d) VALUES (-1, s.d)").fetchone() == (1500,)
    assert bird.execute(f"SELECT count(*), count(*) FILTER (id = 7777) FROM {t}").fetchone() == (6000, 1500)
    assert bird.execute(f"DELETE FROM {t} WHERE d = {value}").fetchone() == (1500,)


def test_signed_zeros_among_partition_values(bird, tmp_path):
    t = f'delta."{tmp_path}/t"'
    bird.execute(f"CREATE TABLE {t} (id BIGINT, d DOUBLE) PARTITIONED BY (d)")
    bird.execute(f"INSERT INTO {t} VALUES (1, 0.0), (2, '-0.0'::DOUBLE), (3, 1)")
    for value in ("0.0::DOUBLE", "'-0.0'::DOUBLE"):
        assert bird.execute(f"SELECT count(*) FROM {t} WHERE d = {value}").fetchone() == (2,)
        assert bird.execute(f"SELECT count(*) FROM {t} JOIN (SELECT {value} AS v) ON d = v").fetchone() == (2,)
