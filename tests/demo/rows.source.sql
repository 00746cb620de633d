-- Every row of the shop as one line of text; rows.mirror.sql prints the same lines from the mirror.
SET TimeZone = 'UTC';
SELECT 'customers', id, name, email, to_json(tags), address, active::int, joined_on, created_at::text || ':00' FROM customers ORDER BY id;
SELECT 'products', sku, title, price, weight::numeric(10,3), attributes, upper(encode(photo, 'hex')), description FROM products ORDER BY sku COLLATE "C";
SELECT 'orders', id, customer_id, status, total, placed_at, replace(note, E'\n', '\n') FROM orders ORDER BY id;
SELECT 'order_lines', order_id, line_no, sku, quantity, price FROM order_lines ORDER BY order_id, line_no;
SELECT 'carts', customer_id, items FROM carts ORDER BY customer_id;
