-- What a day in the shop does to its rows. Each statement is a transaction of its own.
INSERT INTO customers VALUES
  (61, 'Zoë', 'zoe@example.com', '{vip,new}', '{"city": "Gent", "note": "quote \" and \\ backslash"}', true, '2026-03-01', '2026-03-01 23:59:59.999999+00'),
  (62, 'No Mail', NULL, '{}', NULL, false, '2026-03-02', '2026-03-02 00:00+02');
CALL place_order(301);
UPDATE products SET price = round(price * 1.1, 2) WHERE attributes->>'color' = 'red';
UPDATE orders SET status = 'shipped', note = NULL WHERE status = 'paid';
DELETE FROM orders WHERE status = 'cancelled';
UPDATE customers SET id = 1007 WHERE id = 7;
UPDATE products SET sku = 'P-001b' WHERE sku = 'P-001';
TRUNCATE carts;
BEGIN;
INSERT INTO carts VALUES (1, '["will not happen"]');
UPDATE customers SET name = 'nobody';
ROLLBACK;
INSERT INTO carts VALUES (2, '[]');
