-- @publication The "Pub", No 2
create table noted (id integer primary key, v text);
insert into noted values (1, 'a');
create publication "The ""Pub"", No 2" for table noted;
-- @@LIVE
insert into noted values (2, 'b');
