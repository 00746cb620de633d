create table step (id integer primary key, v text);
create publication case_pub for table step;
-- @@LIVE
begin;
insert into step values (1, 'kept');
savepoint a; insert into step values (2, 'lost'); update step set v = 'lost' where id = 1; rollback to a;
savepoint b; insert into step values (3, 'kept'); release b;
savepoint c; delete from step where id = 1; savepoint d; insert into step values (4, 'lost'); rollback to c;
commit;
do $$ begin
  insert into step values (5, 'kept');
  begin insert into step values (6, 'lost'); raise exception 'x'; exception when others then insert into step values (7, 'kept'); end;
end $$;
