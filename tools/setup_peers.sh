#!/usr/bin/env bash
# Brings the peers that the interop tests share tables with: Spark with Delta Lake (PySpark into the tests' Python, Delta's
# jars through Maven). delta-rs comes with tests/requirements.txt. Does nothing where everything is there.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=${BIRDFOOT_VENV:-$root/build/venv}
jars=${BIRDFOOT_PEERS:-$root/build/peers}/jars
pyspark=4.2.0 delta=4.4.0  # the newest pair: delta-spark's jars stop at 4.4.0, which allows Spark up to 4.2.0
stamp=$jars/.delta-$delta-spark-$pyspark

say() { echo "setup_peers: $*"; }
if [ -e "$stamp" ] && "$venv/bin/python" -c 'import pyspark, delta' 2>/dev/null; then exit 0; fi

missing=()
command -v java >/dev/null || missing+=(openjdk-17-jdk-headless)
command -v mvn >/dev/null || missing+=(maven)
if [ ${#missing[@]} -gt 0 ]; then
    say "installing ${missing[*]}"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "${missing[@]}" >/dev/null
fi
say "PySpark $pyspark"
"$venv/bin/pip" install -q --disable-pip-version-check "pyspark==$pyspark" "delta-spark==$delta"
say "Delta Lake's jars $delta"
rm -rf "$jars" && mkdir -p "$jars"
pom=$(mktemp -d)
trap 'rm -rf "$pom"' EXIT
cat >"$pom/pom.xml" <<XML
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>birdfoot</groupId><artifactId>peers</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>io.delta</groupId><artifactId>delta-spark_4.2_2.13</artifactId><version>$delta</version>
    </dependency>
  </dependencies>
</project>
XML
mvn -B -q -f "$pom/pom.xml" dependency:copy-dependencies -DincludeGroupIds=io.delta,io.unitycatalog -DoutputDirectory="$jars"
touch "$stamp"
