"""What every Python test may ask for: a DuckDB connection with Birdfoot in it, and one Spark session for the whole run."""
import glob
import os
import sys
import pathlib

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent / "support"))

from engines import PEERS, connect  # noqa: E402


GAPS = pathlib.Path(__file__).parent / "known_gaps.txt"


def pytest_collection_modifyitems(items):
    """Tests of what does not work yet are listed with their reason in known_gaps.txt. They run all the same: one that passes
    fails the run until its line is taken out, so that the list cannot rot."""
    reasons = {}
    if GAPS.exists():
        for line in GAPS.read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                test, _, reason = line.partition("  # ")
                reasons[test.strip()] = reason
    for item in items:
        if item.nodeid in reasons:
            item.add_marker(pytest.mark.xfail(reason=reasons[item.nodeid], strict=True))


@pytest.fixture
def bird():
    con = connect()
    yield con
    con.close()


@pytest.fixture(scope="session")
def spark():
    jars = sorted(glob.glob(str(PEERS / "jars" / "*.jar")))
    if not jars:
        pytest.fail("Spark's jars are missing: run tools/setup_peers.sh")
    os.environ["TZ"] = "UTC"
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2]")
        .appName("interop")
        .config("spark.driver.memory", "1g")
        .config("spark.driver.host", "localhost")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.extraClassPath", ":".join(jars))
        .config("spark.driver.extraJavaOptions", "-Duser.timezone=UTC -XX:+UseSerialGC -Xss4m")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config("spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.databricks.delta.snapshotPartitions", "2")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
