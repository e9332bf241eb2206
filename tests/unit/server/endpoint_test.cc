#include "server/endpoint.h"

#include <gtest/gtest.h>

namespace driftbar::server {
namespace {

TEST(Endpoint, IsReadAndShown) {
  const std::pair<const char*, const char*> rows[] = {{"0.0.0.0:8443", "0.0.0.0:8443"},
                                                      {":8443", "0.0.0.0:8443"},
                                                      {"127.0.0.1:0", "127.0.0.1:0"},
                                                      {"[::1]:65535", "[::1]:65535"},
                                                      {"[::]:1", "[::]:1"}};
  for (const auto& [text, shown] : rows) {
    const auto endpoint = parseEndpoint(text);
    ASSERT_TRUE(endpoint) << text;
    EXPECT_EQ(toString(*endpoint), shown);
  }
}

TEST(Endpoint, ThatIsNone) {
  for (const char* text : {"", "8443", "localhost:8443", "::1:8443", "[]:1", "[127.0.0.1]:1",
                           "1.2.3.4:", "1.2.3.4:65536", "1.2.3.4:-1", "1.2.3.4: 1", "[::1]", "[::1:5"})
    EXPECT_FALSE(parseEndpoint(text)) << text;
  EXPECT_EQ(render(parseEndpoint("localhost:8443").errors()),
            "error: `localhost:8443` is not an address and a port [bad-endpoint]\n"
            "  help: write it as `0.0.0.0:8443`, `[::1]:8443` or `:8443`\n");
}

}  // namespace
}  // namespace driftbar::server
