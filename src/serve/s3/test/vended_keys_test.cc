// SPDX-License-Identifier: Apache-2.0
#include "serve/s3/vended_keys.h"

#include <set>

#include <gtest/gtest.h>

namespace frazil::serve::s3 {
namespace {

constexpr std::int64_t kHour = 3600000;

class SetClock final : public Clock {
 public:
  UnixMillis Now() const override { return now; }
  UnixMillis now{500000 * kHour};
};

class VendedKeysTest : public testing::Test {
 protected:
  SetClock clock_;
  Bytes secret_ = Bytes(32, 7);
  VendedKeys keys_{secret_, clock_};
  Uuid uuid_ = Uuid::Parse("8f14e45f-ceea-467f-a0e6-4ad3b9f6e6b1").value();
};

TEST_F(VendedKeysTest, R25_AreFoundAgainInEveryProcess) {
  const VendedKey key = keys_.Vend(uuid_);
  const VendedKeys other(secret_, clock_);
  const auto known = other.Find(key.access_key_id);
  ASSERT_TRUE(known.ok());
  EXPECT_EQ(known->secret_access_key, key.secret_access_key);
  EXPECT_EQ(known->session_token, key.session_token);
  EXPECT_EQ(known->table_uuid, uuid_);
  EXPECT_EQ(known->expires, key.expires);
}

TEST_F(VendedKeysTest, KeepTheirForm) {
  const VendedKey key = keys_.Vend(uuid_);
  EXPECT_EQ(key.access_key_id.substr(0, 43), "FZ10007A12C8F14E45FCEEA467FA0E64AD3B9F6E6B1");
  // Pinned: another value would make keys of running clients unknown after an upgrade.
  EXPECT_EQ(key.access_key_id.substr(43), "96F77CD8AC8FB50F");
  EXPECT_EQ(key.secret_access_key.size(), 64U);
  EXPECT_EQ(key.session_token.size(), 64U);
  EXPECT_NE(key.session_token, key.secret_access_key);
}

TEST_F(VendedKeysTest, R25_LastFromTwelveToThirteenHoursAndStayTheSameWithinAnHour) {
  std::set<std::string> ids;
  for (std::int64_t millis = 1; millis <= kHour; millis += 59999) {
    clock_.now = UnixMillis(500000 * kHour + millis);
    const VendedKey key = keys_.Vend(uuid_);
    EXPECT_GE(key.expires - clock_.now, 12 * kHour);
    EXPECT_LT(key.expires - clock_.now, 13 * kHour);
    ids.insert(key.access_key_id);
  }
  clock_.now = UnixMillis(500001 * kHour);
  ids.insert(keys_.Vend(uuid_).access_key_id);
  EXPECT_EQ(ids.size(), 1U);
  clock_.now = UnixMillis(500001 * kHour + 1);
  EXPECT_FALSE(ids.contains(keys_.Vend(uuid_).access_key_id));
}

TEST_F(VendedKeysTest, ExpireAtTheirMoment) {
  const VendedKey key = keys_.Vend(uuid_);
  clock_.now = UnixMillis(key.expires.value() - 1);
  EXPECT_TRUE(keys_.Find(key.access_key_id).ok());
  clock_.now = key.expires;
  const auto known = keys_.Find(key.access_key_id);
  ASSERT_FALSE(known.ok());
  EXPECT_EQ(known.error().code(), ErrorCode::kCredentialsExpired);
}

TEST_F(VendedKeysTest, AnyChangedOrCutOrForeignIdIsUnknown) {
  const std::string id = keys_.Vend(uuid_).access_key_id;
  for (std::size_t at = 0; at < id.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = id;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      const auto known = keys_.Find(changed);
      ASSERT_FALSE(known.ok()) << at;
      EXPECT_EQ(known.error().code(), ErrorCode::kUnknownAccessKey);
    }
    EXPECT_FALSE(keys_.Find(id.substr(0, at)).ok());
  }
  EXPECT_FALSE(keys_.Find(id + "0").ok());
  const VendedKeys foreign(Bytes(32, 8), clock_);
  EXPECT_FALSE(keys_.Find(foreign.Vend(uuid_).access_key_id).ok());
}

TEST_F(VendedKeysTest, DifferByTable) {
  const VendedKey one = keys_.Vend(uuid_);
  const VendedKey two = keys_.Vend(Uuid{});
  EXPECT_NE(one.access_key_id, two.access_key_id);
  EXPECT_NE(one.secret_access_key, two.secret_access_key);
  EXPECT_NE(one.session_token, two.session_token);
}

}  // namespace
}  // namespace frazil::serve::s3
