// SPDX-License-Identifier: Apache-2.0
#include "iceberg/data_file_json.h"

#include <gtest/gtest.h>

#include "iceberg/test/samples.h"

namespace frazil::iceberg {
namespace {

TEST(DataFileJson, WritesOneListForEachColumn) {
  std::map<FieldId, ColumnMetrics> columns;
  columns[FieldId(10)] = {.column_size = 1,
                          .value_count = 2,
                          .null_count = 3,
                          .nan_count = 4,
                          .lower_bound = Bytes{0x0a, 0xff},
                          .upper_bound = Bytes{}};
  columns[FieldId(9)] = {};
  EXPECT_EQ(ColumnsToJson(columns), R"([[9,0,0,0,-1,null,null],[10,1,2,3,4,"0aff",""]])");
  EXPECT_EQ(ColumnsToJson({}), "[]");
}

TEST(DataFileJson, ReadsBackWhatItWrote) {
  const auto columns = test::SampleEntries().front().file.columns;
  const auto read = ColumnsFromJson(ColumnsToJson(columns));
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(*read, columns);
  EXPECT_TRUE(ColumnsFromJson("[]").value().empty());
}

TEST(DataFileJson, RefusesAnythingElse) {
  for (const char* json :
       {"", "{}", "[1]", "[[]]", "[[1,0,0,0,-1,null]]", "[[1,0,0,0,-1,null,null,null]]",
        "[[1.5,0,0,0,-1,null,null]]", "[[2147483648,0,0,0,-1,null,null]]",
        "[[1,9223372036854775808,0,0,-1,null,null]]", "[[1,0,0,\"0\",-1,null,null]]",
        "[[1,0,0,0,-1,\"0\",null]]", "[[1,0,0,0,-1,null,\"xy\"]]", "[[1,0,0,0,-1,0,null]]",
        "[[2,0,0,0,-1,null,null],[1,0,0,0,-1,null,null]]",
        "[[1,0,0,0,-1,null,null],[1,0,0,0,-1,null,null]]", "[[[[]]]]"}) {
    const auto read = ColumnsFromJson(json);
    ASSERT_FALSE(read.ok()) << json;
    EXPECT_EQ(read.error().code(), ErrorCode::kCorruptData);
  }
}

TEST(DataFileJson, SurvivesEachTruncationAndEachChangedByte) {
  const std::string json = ColumnsToJson(test::SampleEntries().front().file.columns);
  for (std::size_t size = 0; size < json.size(); ++size) {
    EXPECT_FALSE(ColumnsFromJson(json.substr(0, size)).ok());
  }
  for (std::size_t i = 0; i < json.size(); ++i) {
    for (const char bit : {'\x01', '\x02', '\x10', '\x40', '\x80'}) {
      std::string changed = json;
      changed[i] = static_cast<char>(changed[i] ^ bit);
      IgnoreError(ColumnsFromJson(changed));
    }
  }
}

}  // namespace
}  // namespace frazil::iceberg
