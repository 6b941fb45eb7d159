CREATE TABLE delta.`/tmp/rules/k1` (id INT, s STRING, b BINARY, a ARRAY<INT>) USING delta;
ALTER TABLE delta.`/tmp/rules/k1` CLUSTER BY (id);
CREATE TABLE delta.`/tmp/rules/k2` (id INT, s STRING, b BINARY, a ARRAY<INT>, st STRUCT<x: INT>) USING delta CLUSTER BY (id, st.x);
ALTER TABLE delta.`/tmp/rules/k2` CLUSTER BY (s);
ALTER TABLE delta.`/tmp/rules/k2` CLUSTER BY (a);
ALTER TABLE delta.`/tmp/rules/k2` CLUSTER BY (nope);
ALTER TABLE delta.`/tmp/rules/k2` CLUSTER BY (id,s,b,st.x,id);
ALTER TABLE delta.`/tmp/rules/k2` CLUSTER BY NONE;
CREATE OR REPLACE TABLE delta.`/tmp/rules/k2` (id INT, s STRING) USING delta PARTITIONED BY (s);
CREATE OR REPLACE TABLE delta.`/tmp/rules/k2` (id INT, s STRING) USING delta;
DESCRIBE HISTORY delta.`/tmp/rules/k2`
