-- @settle
create table v (id integer primary key, t text);
create table c (id integer primary key, t text);
insert into v select g, 't' || g from generate_series(1, 50) g;
insert into c select g, 't' || g from generate_series(1, 50) g;
create publication case_pub for table v, c;
-- @@LIVE
delete from v where id % 2 = 0;
vacuum full v;
update v set t = 'touched' where id = 1;
cluster c using c_pkey;
delete from c where id > 10;
