#include "cluster/objects.h"

#include <utility>

#include "base/json.h"

namespace driftbar::cluster {
namespace {

using decision::Answer;
using decision::Need;
using Silence = Answer::Silence;

// A document holds the text's strings and 8 to 16 bytes for each value: about twice the text besides it.
constexpr std::size_t kMemoryForText = 3;

ApiLimits limitsOf(const ObjectsOptions& options) {
  ApiLimits limits;
  limits.bodyBytes = options.bodyBytes;
  return limits;
}

// What came instead of an answer, by the id of the error.
Answer unreached(const Diagnostic& why) {
  if (why.id == kStopped) return Answer::none(Silence::kStopped, "driftbar is being stopped");
  if (why.id == kTooLarge) return Answer::none(Silence::kFailed, "the API server's answer is too large");
  if (why.id == kTls) return Answer::none(Silence::kFailed, "the API server is not who we may talk to");
  return Answer::none(Silence::kFailed, "the API server did not answer");
}

Answer refused(int status, const std::string& what) {
  if (status == 403)
    return Answer::none(Silence::kForbidden,
                        "permission is missing: the role of driftbar needs the verb get on " + what);
  if (status == 401) return Answer::none(Silence::kFailed, "the API server does not accept our credentials");
  if (status == 429) return Answer::none(Silence::kFailed, "the API server is overloaded");
  return Answer::none(Silence::kFailed, "the API server answered " + std::to_string(status));
}

Answer objectOf(const std::string& body) {
  auto document = JsonDocument::parse(body);
  if (!document || !document->root().isMap())
    return Answer::none(Silence::kFailed, "the API server's answer is no object");
  return Answer::found(*std::move(document), body.size() * kMemoryForText);
}

}  // namespace

// One of the connections, while it is used.
class Objects::Lease {
 public:
  explicit Lease(Objects& objects) : objects_(objects) {
    const std::lock_guard lock(objects_.mutex_);
    if (objects_.stopped_) return;
    if (objects_.idle_.empty()) {
      objects_.all_.push_back(std::make_unique<Api>(objects_.access_, limitsOf(objects_.options_)));
      objects_.idle_.push_back(objects_.all_.back().get());
    }
    api_ = objects_.idle_.back();
    objects_.idle_.pop_back();
  }
  ~Lease() {
    const std::lock_guard lock(objects_.mutex_);
    if (api_ != nullptr) objects_.idle_.push_back(api_);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Api* api() const { return api_; }  // null: stopped

 private:
  Objects& objects_;
  Api* api_ = nullptr;
};

Objects::Objects(Access access, ObjectsOptions options)
    : access_(std::move(access)), options_(std::move(options)), discovery_(options_.now) {}

Objects::~Objects() {
  Objects::stop();
}

void Objects::stop() {
  std::vector<Api*> all;
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    for (const auto& api : all_) all.push_back(api.get());
  }
  for (auto* api : all) api->stop();
}

Answer Objects::fetch(const Need& need, Duration timeout) {
  const Lease lease(*this);
  if (lease.api() == nullptr) return Answer::none(Silence::kStopped, "driftbar is being stopped");
  return read(*lease.api(), need, options_.now() + timeout);
}

Answer Objects::read(Api& api, const Need& need, lookup::Time deadline) {
  const auto discovered =
      discovery_.find(need.group, need.version, need.object, [&](const std::string& path) {
        return get(api, path, "the API's discovery (the ClusterRole system:discovery has it)", deadline);
      });
  if (const auto* answer = std::get_if<Answer>(&discovered)) return *answer;
  const auto& resource = std::get<Resource>(discovered);
  const auto path = resource.path(need.ns, need.name);
  return path ? get(api, *path, resource.shown(), deadline) : Answer::notFound();
}

Answer Objects::get(Api& api, const std::string& path, const std::string& what, lookup::Time deadline) {
  const auto left = std::chrono::duration_cast<Duration>(deadline - options_.now());
  if (left <= Duration::zero()) return Answer::none(Silence::kFailed, "the API server did not answer");
  const auto reply = api.get(path, left);
  if (!reply) return unreached(reply.errors().front());
  if (reply->status == 404) return Answer::notFound();
  return reply->status == 200 ? objectOf(reply->body) : refused(reply->status, what);
}

}  // namespace driftbar::cluster
