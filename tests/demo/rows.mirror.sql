-- See rows.source.sql. A numeric(10,2) is a number in the mirror, a numeric without a precision is text.
SELECT 'customers', id, name, email, json(tags), address, active, joined_on, created_at FROM customers ORDER BY id;
SELECT 'products', sku, title, printf('%.2f', price), printf('%.3f', weight), attributes, CASE WHEN photo IS NOT NULL THEN hex(photo) END, description FROM products ORDER BY sku;
SELECT 'orders', id, customer_id, status, total, placed_at, replace(note, char(10), '\n') FROM orders ORDER BY id;
SELECT 'order_lines', order_id, line_no, sku, quantity, printf('%.2f', price) FROM order_lines ORDER BY order_id, line_no;
SELECT 'carts', customer_id, items FROM carts ORDER BY customer_id;
