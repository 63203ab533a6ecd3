// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <parquet/properties.h>

namespace frazil::parquet {
namespace {

// libparquet exports an OpenSSL of its own. Ours must be found first, or TLS would run on a library
// that no system update reaches.
TEST(OpenSslTest, SymbolsComeFromTheSystemsLibrary) {
  // libparquet is in this program, so that the two could be mixed up.
  Dl_info found{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&::parquet::default_writer_properties), &found), 0);
  EXPECT_THAT(std::string(found.dli_fname), testing::HasSubstr("libparquet.so"));
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&EVP_EncryptInit_ex), &found), 0);
  EXPECT_THAT(std::string(found.dli_fname), testing::HasSubstr("libcrypto.so.3"));
  void* const by_name = dlsym(RTLD_DEFAULT, "EVP_EncryptInit_ex");
  ASSERT_NE(dladdr(by_name, &found), 0);
  EXPECT_THAT(std::string(found.dli_fname), testing::HasSubstr("libcrypto.so.3"));
}

}  // namespace
}  // namespace frazil::parquet
