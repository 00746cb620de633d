create table list (id integer primary key, t text[], i integer[], m integer[][], n numeric[], b boolean[]);
insert into list values (1, '{}', '{}', '{}', '{}', '{}'),
  (2, array['', null, 'NULL', 'null'], array[5, null, -6], array[[1, 2], [3, null]], array['NaN', 2.50]::numeric[], array[false, null, true]);
create publication case_pub for table list;
-- @@LIVE
insert into list values (3, array['x,y', '{z}', '"q"', E'a\\b', E'l1\nl2', ' blank '], array[2147483647], array[[[7], [8]]], null, null),
  (4, '[4:5]={p,q}', '[-1:0]={1,2}', '{{9}}', '{}', '{f}');
update list set t = array[''] where id = 1;
