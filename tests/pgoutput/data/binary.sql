-- options: proto_version=1 binary=true
-- Values in the binary send format, NULL and empty ones among them.
CREATE TABLE item (id int PRIMARY KEY, big bigint, name text, price numeric(10,2), ok boolean, at timestamptz,
                   raw bytea, list int[]);
-- workload
BEGIN;
INSERT INTO item VALUES (258, -1, 'höher', 12.50, true, '2000-01-01 00:00:01+00', '\x00ff', '{1,2}');
INSERT INTO item VALUES (2, NULL, '', NULL, false, NULL, '', '{}');
UPDATE item SET id = 3 WHERE id = 2;
DELETE FROM item WHERE id = 3;
COMMIT;
