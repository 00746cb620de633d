create type unused as enum ();
create type stage as enum ('open', 'closed');
create table task (id integer primary key, s stage not null);
insert into task values (1, 'open');
create publication case_pub for table task;
-- @@LIVE
alter type stage add value 'on hold' before 'closed';
insert into task values (2, 'on hold');
alter type stage rename value 'open' to 'opened';
update task set s = 'closed' where id = 1;
insert into task values (3, 'opened');
