create table seen (id integer primary key);
create table unseen (id integer);
create publication case_pub;
-- @@LIVE
do $$ begin for i in 1..200 loop insert into unseen values (i); commit; end loop; end $$;
begin; insert into seen values (-1); rollback;
begin; savepoint a; insert into seen values (-2); rollback to a; commit;
create temp table passing as select 1; drop table passing;
select pg_switch_wal();
alter publication case_pub add table seen;
insert into seen values (1);
begin; select txid_current(); commit;
alter publication case_pub drop table seen;
insert into seen values (2);
alter publication case_pub add table seen;
insert into seen values (3);
