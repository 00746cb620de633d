create table memo (id integer primary key, t text, j json, b jsonb);
insert into memo values (1, E'tab\tline\nreturn\rback\bfeed\fesc\u001b', '{"a":"\u0000"}', '"\u2029"');
create publication case_pub for table memo;
-- @@LIVE
insert into memo values (2, E'ls\u2028ps\u2029nel\u0085del\u007f', '"\udbff"', '{"k\u0002":"\u001e"}'),
  (3, E'\u0002\u001e"\\/', '{"b":1,   "b":2}', '"🦉"'), (4, E'🦉o\u0308\uFFFE\uFEFF', '"\ud83e\udd89"', '"\ud83e\udd89"');
