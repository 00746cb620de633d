-- The demo's shop: a few hundred rows with the types that matter, always the same ones.
CREATE TYPE order_status AS ENUM ('placed', 'paid', 'shipped', 'cancelled');

CREATE TABLE customers (
  id         bigint PRIMARY KEY,
  name       text NOT NULL,
  email      text,
  tags       text[] NOT NULL DEFAULT '{}',
  address    jsonb,
  active     boolean NOT NULL DEFAULT true,
  joined_on  date NOT NULL,
  created_at timestamptz NOT NULL
);

CREATE TABLE products (
  sku         text PRIMARY KEY,
  title       text NOT NULL,
  price       numeric(10,2) NOT NULL,
  weight      real,
  attributes  jsonb NOT NULL,
  photo       bytea,
  description text NOT NULL  -- long enough to be kept out of line: an update does not send it again
);

CREATE TABLE orders (
  id          bigint PRIMARY KEY,
  customer_id bigint NOT NULL REFERENCES customers ON UPDATE CASCADE,
  status      order_status NOT NULL DEFAULT 'placed',
  total       numeric NOT NULL,
  placed_at   timestamp NOT NULL,
  note        text
);

CREATE TABLE order_lines (
  order_id bigint NOT NULL REFERENCES orders ON DELETE CASCADE,
  line_no  integer NOT NULL,
  sku      text NOT NULL REFERENCES products ON UPDATE CASCADE,
  quantity integer NOT NULL,
  price    numeric(10,2) NOT NULL,
  PRIMARY KEY (order_id, line_no)
);

CREATE TABLE carts (
  customer_id bigint PRIMARY KEY,
  items       jsonb NOT NULL
);

INSERT INTO customers
SELECT i, (ARRAY['Ada','Grace','Édith','Željko','Søren','Mária'])[1 + i % 6] || ' ' || i,
       CASE WHEN i % 9 <> 0 THEN 'customer' || i || '@example.com' END,
       CASE i % 4 WHEN 0 THEN '{}'::text[] WHEN 1 THEN '{new}' WHEN 2 THEN ARRAY['vip', 'says "hi"'] ELSE ARRAY['a,b', NULL] END,
       jsonb_build_object('city', (ARRAY['Brno','Porto','Malmö'])[1 + i % 3], 'zip', 10000 + i),
       i % 7 <> 0, date '2024-01-01' + i, timestamptz '2026-01-01 08:00:00.25+00' + i * interval '97 minutes'
FROM generate_series(1, 60) i;

INSERT INTO products
SELECT 'P-' || lpad(i::text, 3, '0'), 'Product ' || i, 4.99 + i * 1.5, i * 0.25,
       jsonb_build_object('color', (ARRAY['red','green','blue'])[1 + i % 3], 'sizes', jsonb_build_array(i, i + 1)),
       CASE WHEN i % 5 = 0 THEN decode(md5(i::text), 'hex') END,
       (SELECT string_agg(md5((i * 1000 + j)::text), ' ') FROM generate_series(1, 120) j)
FROM generate_series(1, 40) i;

CREATE PROCEDURE place_order(order_id bigint) LANGUAGE sql AS $$
  INSERT INTO orders
  SELECT $1, (SELECT id FROM customers ORDER BY id OFFSET $1 % 60 LIMIT 1), (ARRAY['placed','paid','shipped','cancelled'])[1 + $1 % 4]::order_status, 0,
         timestamp '2026-02-01 09:30' + $1 * interval '11 minutes 30.5 seconds',
         CASE WHEN $1 % 5 = 0 THEN E'ring twice,\nthen wait' END;
  INSERT INTO order_lines
  SELECT $1, n, sku, 1 + ($1 + n) % 3, price
  FROM generate_series(1, 1 + $1 % 4) n
  JOIN (SELECT *, row_number() OVER (ORDER BY sku) AS place FROM products) p ON place = 1 + ($1 * 7 + n) % 40;
  UPDATE orders SET total = (SELECT sum(quantity * l.price) FROM order_lines l WHERE l.order_id = $1) WHERE id = $1;
$$;

DO $$ BEGIN FOR i IN 1..300 LOOP CALL place_order(i); END LOOP; END $$;

INSERT INTO carts SELECT i, jsonb_build_array(jsonb_build_object('sku', 'P-001', 'n', i)) FROM generate_series(1, 20) i;

-- Sells while the host runs: one transaction an order, a few milliseconds apart.
CREATE PROCEDURE sell(first_id bigint, last_id bigint) LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN first_id..last_id LOOP
    CALL place_order(i);
    UPDATE products SET price = price + 0.01 WHERE sku LIKE 'P-' || lpad((1 + i % 40)::text, 3, '0') || '%';
    COMMIT;
    PERFORM pg_sleep(0.004);
  END LOOP;
END $$;
