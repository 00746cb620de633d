create table balance (id bigint primary key, amount bigint, tiny smallint, word integer, doc jsonb, raw json);
insert into balance values (-9223372036854775808, 9223372036854775807, -32768, 2147483647,
  '{"n": 9007199254740993001}', '{"n":36893488147419103233.0000000000000000007}');
create publication case_pub for table balance;
-- @@LIVE
insert into balance values (9223372036854775807, -9223372036854775808, 32767, -2147483648,
  '{"n": 9007199254740993, "list": [1e30, 0.1000000000000000000003]}', '{"n": 1E500}');
insert into balance values (0, 9007199254740993, 0, 0, '-0', '-0');
update balance set amount = amount + 1 where id = 9223372036854775807;
update balance set doc = '{"n": 18446744073709551617}' where id < 0;
