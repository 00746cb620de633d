do $$ begin
  execute format('alter database %I set DateStyle = ''German, DMY''', current_database());
  execute format('alter database %I set IntervalStyle = ''iso_8601''', current_database());
  execute format('alter database %I set TimeZone = ''Pacific/Chatham''', current_database());
  execute format('alter database %I set bytea_output = ''escape''', current_database());
  execute format('alter database %I set extra_float_digits = -3', current_database());
end $$;
create table stay (id integer primary key, d date, ts timestamp, tz timestamptz, i interval, b bytea, f float8);
insert into stay values (1, '2025-03-04', '2025-03-04 05:06:07', '2025-03-04 00:00:00+00', '2 years 1 mon 3 days 04:05:06', '\x0041ff', 0.1 + 0.2::float8);
create publication case_pub for table stay;
-- @@LIVE
insert into stay values (2, '2025-03-04', '2025-03-04 05:06:07', '2025-03-04 00:00:00+00', '2 years 1 mon 3 days 04:05:06', '\x0041ff', 0.1 + 0.2::float8);
-- The bytes of this one spell "\x": a reader must not take them for the mark of hex.
insert into stay values (3, '2024-02-01', '2024-01-02 00:00:00', '2024-01-31 11:14:59.5+00', '-1 days', '\x5c78', 1e23);
