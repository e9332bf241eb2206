#include "server/front.h"

#include <algorithm>
#include <thread>

#include "base/published.h"
#include "server/descriptors.h"
#include "server/engine.h"

namespace driftbar::server {
namespace {

// Asio's owner of a context, of which it frees a reference of its own.
std::shared_ptr<asio::ssl::context> owned(const std::shared_ptr<SSL_CTX>& tls) {
  SSL_CTX_up_ref(tls.get());
  return std::make_shared<asio::ssl::context>(tls.get());
}

// A stream takes what it needs of the context when it is made; Asio wants it as one it could change.
struct Dressing {
  std::shared_ptr<asio::ssl::context> context;
};

}  // namespace

struct Front::Parts {
  Parts(FrontOptions& options, Handler& handler, std::shared_ptr<SSL_CTX> tls, record::Metrics& metrics)
      : service(handler, metrics, options.times, options.bounds, std::move(options.log)),
        dressing(std::make_shared<const Dressing>(Dressing{owned(tls)})),
        engine(
            service,
            [this](PlainStream socket) {
              const auto now = dressing.get();
              return TlsStream(std::move(socket), *now->context);
            },
            std::move(options.fatal), options.threads == 0 ? defaultThreads() : options.threads) {}

  Service service;
  Published<Dressing> dressing;
  std::uint16_t port = 0;
  Engine<TlsStream> engine;
};

unsigned defaultThreads() {
  return std::clamp(std::thread::hardware_concurrency(), 2U, 8U);
}

Front::Front(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Front::~Front() = default;

Result<std::unique_ptr<Front>> Front::listen(FrontOptions options, Handler& handler,
                                             std::shared_ptr<SSL_CTX> tls, record::Metrics& metrics) {
  const Endpoint endpoint = options.endpoint;
  options.bounds = within(raiseDescriptorLimit(), options.bounds);
  auto parts = std::make_unique<Parts>(options, handler, std::move(tls), metrics);
  const auto port = parts->engine.listen(endpoint);
  if (!port) return port.errors();
  parts->port = *port;
  return std::unique_ptr<Front>(new Front(std::move(parts)));
}

std::uint16_t Front::port() const {
  return parts_->port;
}
void Front::use(std::shared_ptr<SSL_CTX> tls) {
  parts_->dressing.set(std::make_shared<const Dressing>(Dressing{owned(tls)}));
}
void Front::drain() {
  parts_->engine.drain();
}
void Front::stop() {
  parts_->engine.stop();
}
bool Front::draining() const {
  return parts_->service.draining;
}

}  // namespace driftbar::server
