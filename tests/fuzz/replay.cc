// The main of a fuzz target where there is no libFuzzer: feeds it every file in the folders named.
//
// A file's name is printed before it is fed, so that the last one is what broke the property. No file at all
// is a failure, for nothing was tried then.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Files = std::vector<std::filesystem::path>;

Files filesIn(int count, char** folders) {
  Files files;
  for (int i = 0; i < count; ++i) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folders[i])) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool feed(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  if (!file) return false;
  std::printf("%s\n", path.c_str());
  std::fflush(stdout);
  // On the heap and of this very size, so that the address sanitizer sees a read past the end.
  const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
  LLVMFuzzerTestOneInput(input.data(), input.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  const Files files = filesIn(argc - 1, argv + 1);
  for (const auto& file : files) {
    if (feed(file)) continue;
    std::fprintf(stderr, "cannot read %s\n", file.c_str());
    return 1;
  }
  LLVMFuzzerTestOneInput(nullptr, 0);
  std::printf("%zu inputs\n", files.size());
  if (files.empty()) std::fprintf(stderr, "there was no input\n");
  return files.empty() ? 1 : 0;
}
