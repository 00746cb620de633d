-- options: proto_version=1
-- A transaction that another server wrote first, between two of this server's own.
CREATE TABLE t (id int PRIMARY KEY);
SELECT pg_replication_origin_create('upstream');
-- workload
INSERT INTO t VALUES (1);
SELECT pg_replication_origin_session_setup('upstream');
BEGIN;
SELECT pg_replication_origin_xact_setup('0/ABCD1234', '2026-01-31 12:00:00+00');
INSERT INTO t VALUES (2);
COMMIT;
SELECT pg_replication_origin_session_reset();
INSERT INTO t VALUES (3);
SELECT pg_replication_origin_drop('upstream');
