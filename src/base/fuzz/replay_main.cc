// SPDX-License-Identifier: Apache-2.0
// Runs a fuzzer's entry over the files of its corpus: the test that g++ builds have.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  std::size_t replayed = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(argv[i])) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      const std::vector<char> content{std::istreambuf_iterator<char>(file), {}};
      // An exact-size heap copy, so that AddressSanitizer sees a read past the end.
      const std::vector<std::uint8_t> input(content.begin(), content.end());
      LLVMFuzzerTestOneInput(input.data(), input.size());
      // Every truncation of a small input as well: cheap, and where decoders break.
      for (std::size_t size = 0; size < input.size() && input.size() <= 1024; ++size) {
        const std::vector<std::uint8_t> cut(input.begin(),
                                            input.begin() + static_cast<std::ptrdiff_t>(size));
        LLVMFuzzerTestOneInput(cut.data(), cut.size());
      }
      ++replayed;
    }
  }
  std::printf("%zu inputs replayed\n", replayed);
  if (replayed == 0) std::fprintf(stderr, "the corpus is empty\n");
  return replayed == 0 ? 1 : 0;
}
