// Any bytes become text that can be shown, and such text stays as it is.
#include <string>
#include <vector>

#include "base/text.h"
#include "fuzz/property.h"

using namespace driftbar;

namespace {

void checkShortened(const std::string& shown) {
  const auto count = characters(shown);
  for (const std::size_t most : {std::size_t{1}, std::size_t{2}, count / 2 + 1, count + 1}) {
    const std::string text = shortened(shown, most);
    fuzz::requireShowableLine(text, "what is shortened");
    fuzz::require(characters(text) <= most, "what is shortened is short enough");
    fuzz::require(count > most || text == shown, "what is short is left alone");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::textOf(data, size);
  const std::string shown = printable(text);
  fuzz::requireShowableLine(shown, "printable text");
  fuzz::require(printable(shown) == shown, "printable text stays as it is");
  const std::string inQuotes = quoted(text);
  fuzz::requireShowableLine(inQuotes, "quoted text");
  fuzz::require(inQuotes.size() >= 2 && inQuotes.front() == '"' && inQuotes.back() == '"',
                "quotes are closed");
  checkShortened(shown);
  const std::vector<std::string_view> words{"label", "annotation", "namespaceSelector", text};
  nearest(text, words);
  return 0;
}
