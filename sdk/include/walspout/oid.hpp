// walspout/oid.hpp - the type oids of PostgreSQL that a sink may want to tell apart. They are fixed
// for ever by pg_type.dat; types of extensions, enums and composites have other oids in each
// database and are known by walspout_column.type_name only.
// Compare them with walspout_column.base_type_oid (domains resolved) and element_type_oid.
#pragma once

#include <cstdint>

namespace walspout::oid {

inline constexpr std::uint32_t kBool = 16, kBytea = 17, kChar = 18, kName = 19, kInt8 = 20,
                               kInt2 = 21, kInt4 = 23, kText = 25, kOid = 26, kXid = 28,
                               kJson = 114, kXml = 142, kPoint = 600, kBox = 603, kFloat4 = 700,
                               kFloat8 = 701, kMoney = 790, kInet = 869, kBpchar = 1042,
                               kVarchar = 1043, kDate = 1082, kTime = 1083, kTimestamp = 1114,
                               kTimestamptz = 1184, kInterval = 1186, kTimetz = 1266, kBit = 1560,
                               kNumeric = 1700, kUuid = 2950, kJsonb = 3802;

inline constexpr std::uint32_t kJsonArray = 199, kBoolArray = 1000, kByteaArray = 1001,
                               kInt2Array = 1005, kInt4Array = 1007, kTextArray = 1009,
                               kVarcharArray = 1015, kInt8Array = 1016, kBoxArray = 1020,
                               kFloat4Array = 1021, kFloat8Array = 1022, kTimestampArray = 1115,
                               kDateArray = 1182, kTimestamptzArray = 1185, kNumericArray = 1231,
                               kUuidArray = 2951, kJsonbArray = 3807;

}  // namespace walspout::oid
