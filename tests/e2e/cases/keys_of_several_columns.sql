create table seat (hall text, row_no integer, side boolean, who text, primary key (row_no, hall, side));
insert into seat select h, r, s, 'free' from unnest(array['a', 'B', 'b']) h, generate_series(1, 3) r, unnest(array[true, false]) s;
create table tag (label text primary key, n integer);
insert into tag values ('Upper', 1), ('upper', 2), ('trail ', 3), ('trail', 4);
create publication case_pub for table seat, tag;
-- @@LIVE
update seat set who = 'ann' where hall = 'b' and row_no = 2 and side;
delete from seat where hall = 'B' and row_no = 1;
update seat set hall = 'c' where hall = 'a' and side;
update tag set n = n + 10 where label in ('Upper', 'trail ');
delete from tag where label = 'upper';
insert into tag values ('uPPER', 5);
