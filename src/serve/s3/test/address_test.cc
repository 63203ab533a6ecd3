// SPDX-License-Identifier: Apache-2.0
#include "serve/s3/address.h"

#include <gtest/gtest.h>

#include "serve/s3/xml.h"

namespace frazil::serve::s3 {
namespace {

void Expect(std::string_view host, std::string_view path, std::string_view bucket,
            std::string_view key) {
  const auto address = ParseAddress(host, path);
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address->bucket, bucket) << host << path;
  EXPECT_EQ(address->key, key) << host << path;
}

TEST(AddressTest, PathStyle) {
  Expect("127.0.0.1:8182", "/frazil/speed/a/b", "frazil", "speed/a/b");
  Expect("localhost", "/frazil", "frazil", "");
  Expect("localhost", "/frazil/", "frazil", "");
  Expect("localhost", "/", "", "");
  Expect("localhost", "", "", "");
  Expect("localhost", "/other/x", "other", "x");
  Expect("", "/frazil/x", "frazil", "x");
}

TEST(AddressTest, VirtualHostStyle) {
  Expect("frazil.localhost:8182", "/speed/a/b", "frazil", "speed/a/b");
  Expect("FRAZIL.s3.example", "/speed/a", "frazil", "speed/a");
  Expect("frazil.s3.example", "/", "frazil", "");
  Expect("frazilx.example", "/speed/a", "speed", "a");
  Expect("frazil", "/speed/a", "speed", "a");
}

TEST(AddressTest, AnEndpointWhoseNameBeginsLikeTheBucketTakesPathStyleToo) {
  Expect("frazil.example:8182", "/frazil/speed/a", "frazil", "speed/a");
  Expect("frazil.example:8182", "/frazil", "frazil", "");
}

TEST(AddressTest, KeysAreDecodedOnceAndNotNormalised) {
  Expect("localhost", "/frazil/a%20b+c%3Dd%2525", "frazil", "a b+c=d%25");
  Expect("localhost", "/frazil//a/../b", "frazil", "/a/../b");
  Expect("localhost", "/frazil/a%2Fb", "frazil", "a/b");
  EXPECT_FALSE(ParseAddress("localhost", "/frazil/%zz").ok());
}

TEST(AddressTest, OnlyTheThirdSegmentTellsTheTable) {
  const Uuid uuid = Uuid::Parse("8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1").value();
  const std::string text = uuid.ToString();
  EXPECT_TRUE(LiesWithin("speed/orders/" + text + "/data/x", uuid));
  EXPECT_TRUE(LiesWithin("speed/orders/" + text + "/", uuid));
  EXPECT_TRUE(LiesWithin("speed/orders/" + text, uuid));
  const std::string other = "00000000-0000-0000-0000-000000000001";
  for (const std::string& key : std::vector<std::string>{
           "", std::string("speed"), std::string("speed/orders"), std::string("speed/orders/"),
           text + "/x", "speed/" + text + "/x", "speed/orders/" + other + "/" + text + "/x",
           "speed/orders/" + text + "x/y", "speed/orders/x" + text + "/y",
           "speed/orders/8F14E45F-CEEA-467F-A0E6-4AD3B9F6E6B1/x", "/speed/orders/" + text + "/x",
           "speed/orders/" + text.substr(0, 35)}) {
    EXPECT_FALSE(LiesWithin(key, uuid)) << key;
  }
}

TEST(XmlTest, EscapesWhatXmlCannotHold) {
  EXPECT_EQ(XmlEscape("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c'");
  EXPECT_EQ(XmlEscape("\xc3\xa9"), "\xc3\xa9");
  EXPECT_EQ(XmlEscape("\xc3"), "?");
  EXPECT_EQ(XmlEscape(std::string_view("\0\x01\n", 3)), "??&#xA;");
  EXPECT_EQ(XmlElement("Key", "<"), "<Key>&lt;</Key>");
}

}  // namespace
}  // namespace frazil::serve::s3
