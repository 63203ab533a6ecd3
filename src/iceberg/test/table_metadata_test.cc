// SPDX-License-Identifier: Apache-2.0
#include "iceberg/table_metadata.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "iceberg/test/samples.h"

namespace frazil::iceberg {
namespace {

using Json = nlohmann::ordered_json;

TEST(TableMetadata, HoldsAllThatClientsDemand) {
  const Json json = Json::parse(TableMetadataToJson(test::SampleMetadata()));
  EXPECT_EQ(json["format-version"], 2);
  EXPECT_EQ(json["table-uuid"], "8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1");
  EXPECT_EQ(json["location"], "s3://speed/shop/orders");
  EXPECT_EQ(json["last-sequence-number"], 1099511627779);
  EXPECT_EQ(json["last-column-id"], 23);
  EXPECT_EQ(json["current-schema-id"], 1);
  EXPECT_EQ(json["schemas"].size(), 2U);
  EXPECT_EQ(json["default-spec-id"], 0);
  EXPECT_EQ(json["partition-specs"].dump(), R"([{"spec-id":0,"fields":[]}])");
  EXPECT_EQ(json["last-partition-id"], 999);
  EXPECT_EQ(json["default-sort-order-id"], 0);
  EXPECT_EQ(json["sort-orders"].dump(), R"([{"order-id":0,"fields":[]}])");
  EXPECT_EQ(json["snapshot-log"].size(), 3U);
  EXPECT_EQ(json["metadata-log"].dump(),
            R"([{"timestamp-ms":1760000000001,)"
            R"("metadata-file":"s3://speed/shop/orders/metadata/00001-8f14.metadata.json"}])");
}

TEST(TableMetadata, PointsMainToTheCurrentSnapshot) {
  const Json json = Json::parse(TableMetadataToJson(test::SampleMetadata()));
  EXPECT_EQ(json["current-snapshot-id"], 8744736658442914487);
  EXPECT_EQ(json["refs"].dump(), R"({"main":{"snapshot-id":8744736658442914487,"type":"branch"}})");
}

TEST(TableMetadata, WritesSnapshotsWithAllOfTheirFields) {
  const Json json = Json::parse(TableMetadataToJson(test::SampleMetadata()));
  EXPECT_EQ(json["snapshots"][1].dump(),
            R"({"sequence-number":2,"snapshot-id":9223372036854775807,"parent-snapshot-id":17,)"
            R"("timestamp-ms":1760000000002,"summary":{"operation":"replace",)"
            R"("added-data-files":"1","added-records":"1000",)"
            R"("total-records":"9007199254740993"},)"
            R"("manifest-list":"s3://speed/shop/orders/metadata/snap-2.avro","schema-id":1})");
  EXPECT_FALSE(json["snapshots"][0].contains("parent-snapshot-id"));
}

TEST(TableMetadata, ListsOnlyReferencedSnapshotsWhenAsked) {
  const Json json = Json::parse(TableMetadataToJson(test::SampleMetadata(), true));
  ASSERT_EQ(json["snapshots"].size(), 1U);
  EXPECT_EQ(json["snapshots"][0]["snapshot-id"], json["current-snapshot-id"]);
  EXPECT_EQ(json["snapshot-log"].size(), 3U);
}

TEST(TableMetadata, ShowsATableWithoutSnapshots) {
  for (const bool only_referenced : {false, true}) {
    const Json json = Json::parse(TableMetadataToJson(test::EmptyMetadata(), only_referenced));
    EXPECT_EQ(json["current-snapshot-id"], -1);
    EXPECT_EQ(json["refs"].dump(), "{}");
    for (const char* key : {"snapshots", "snapshot-log", "metadata-log", "statistics"}) {
      EXPECT_EQ(json[key].dump(), "[]") << key;
    }
    EXPECT_EQ(json["properties"].dump(), "{}");
  }
}

TEST(TableMetadata, NamesEachOperation) {
  const std::vector<std::pair<Operation, std::string>> cases = {
      {Operation::kAppend, "append"},
      {Operation::kReplace, "replace"},
      {Operation::kOverwrite, "overwrite"},
      {Operation::kDelete, "delete"}};
  for (const auto& [operation, name] : cases) {
    const Json json = Json::parse(SnapshotToJson({.id = SnapshotId(1),
                                                  .parent_id = std::nullopt,
                                                  .sequence_number = SequenceNumber(1),
                                                  .timestamp = UnixMillis(1),
                                                  .manifest_list = "s3://a/b.avro",
                                                  .operation = operation,
                                                  .summary = {},
                                                  .schema_version = SchemaVersion(0)}));
    EXPECT_EQ(json["summary"]["operation"], name);
  }
}

TEST(TableMetadata, StaysJsonWhenATextIsNotUtf8) {
  TableMetadata metadata = test::EmptyMetadata();
  metadata.properties = {{"key", "a\xFFz"}};
  const Json json = Json::parse(TableMetadataToJson(metadata));
  EXPECT_EQ(json["properties"]["key"], "a\xEF\xBF\xBDz");
}

}  // namespace
}  // namespace frazil::iceberg
