-- @numeric text
create table price (id integer primary key, bare numeric, small numeric(30,12), whole numeric(20,0), money numeric(6,2));
insert into price values (1, repeat('9876543210', 60)::numeric, 0.000000000001, 36893488147419103232, 250.00),
  (2, 'NaN', 'NaN', 'NaN', 'NaN'), (3, 'Infinity', null, null, null);
create publication case_pub for table price;
-- @@LIVE
insert into price values (4, '-Infinity', 2.5, -0, 0.10), (5, 0.00000000000000000041, -0.5, -7, -999.99),
  (6, 3.000, 100, 5, 7), (7, ('0.' || repeat('0', 500) || '1')::numeric, null, null, null);
update price set bare = bare + 1 where id = 1;
update price set money = 40 where id = 4;
