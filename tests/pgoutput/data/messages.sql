-- options: proto_version=1 messages=true
-- pg_logical_emit_message(): inside of a transaction, at once though the transaction rolls back, empty,
-- and with bytes that are no text.
CREATE TABLE t (id int PRIMARY KEY);
-- workload
BEGIN;
INSERT INTO t VALUES (1);
SELECT pg_logical_emit_message(true, 'audit', 'user=7');
COMMIT;
BEGIN;
INSERT INTO t VALUES (2);
SELECT pg_logical_emit_message(false, 'now', 'rolled back, yet sent');
ROLLBACK;
SELECT pg_logical_emit_message(true, '', '');
SELECT pg_logical_emit_message(true, 'raw', '\x00ff00'::bytea);
