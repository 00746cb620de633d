-- options: proto_version=4 streaming=parallel two_phase=on messages=true
-- two_phase
-- at least: 17
-- set: debug_logical_replication_streaming=immediate
-- Each change is streamed by itself, so that few rows show every message. Stream Abort carries LSN and time.
CREATE TABLE t (id int PRIMARY KEY, v text);
CREATE TABLE u (id int PRIMARY KEY);
-- workload
INSERT INTO t VALUES (0, 'zero');
INSERT INTO u VALUES (0);
BEGIN;
INSERT INTO t VALUES (1, 'one');
SAVEPOINT a;
INSERT INTO u VALUES (1);
SAVEPOINT b;
UPDATE t SET id = 2 WHERE id = 1;
ROLLBACK TO a;
DELETE FROM t WHERE id = 1;
SELECT pg_logical_emit_message(true, 'in', 'stream');
TRUNCATE u;
COMMIT;
BEGIN;
INSERT INTO t VALUES (3, NULL);
ROLLBACK;
BEGIN;
INSERT INTO t VALUES (4, 'four');
PREPARE TRANSACTION 'four';
ROLLBACK PREPARED 'four';
