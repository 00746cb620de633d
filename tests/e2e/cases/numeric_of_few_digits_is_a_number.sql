create table item (id integer primary key, amount numeric(12,2), wide numeric(16,2), bare numeric);
insert into item values (1, 99.50, 99.50, 99.50), (2, 1000, 1000, 1000);
create publication case_pub for table item;
-- @@LIVE
insert into item values (3, 'NaN', 'NaN', 'NaN'), (4, -0.01, -0.01, -0.01), (5, 9999999999.99, 99999999999999.99, 1.10);
update item set amount = amount * 2 where id = 1;
