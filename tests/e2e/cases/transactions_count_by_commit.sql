create extension dblink;
create table queue (id integer primary key, v text);
create publication case_pub for table queue;
-- @@LIVE
select dblink_connect('late', format('host=%s port=%s dbname=%s user=%s', current_setting('unix_socket_directories'),
  current_setting('port'), current_database(), current_user));
select dblink_exec('late', 'begin'), dblink_exec('late', 'insert into queue values (1, ''late'')');
insert into queue values (2, 'early');
select dblink_exec('late', 'insert into queue values (3, ''late'')');
begin; insert into queue values (4, 'early'); update queue set v = 'early2' where id = 2; commit;
select dblink_exec('late', 'update queue set v = v || ''+'' where id in (1, 2)'), dblink_exec('late', 'commit');
insert into queue values (5, 'end');
select dblink_disconnect('late');
