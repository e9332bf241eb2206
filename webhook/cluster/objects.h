// Objects: a Source of look-ups that reads single objects at the API server, each by one GET.
//
// A GET without a resourceVersion is answered from what is stored, not from a cache of the API server's, so
// what was made just now is found. What is missing by right is said in words for whoever gives the rights;
// addresses are left out, for these words reach whoever asked for an admission.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cluster/api.h"
#include "cluster/discovery.h"
#include "lookup/source.h"

namespace driftbar::cluster {

struct ObjectsOptions {
  // An object is at most 3 MiB as it is sent in (the API server's limit on a request); the rest is for the
  // list of a group's resources, which is smaller.
  std::size_t bodyBytes = 4U << 20U;
  Discovery::Now now = [] { return std::chrono::steady_clock::now(); };
};

class Objects : public lookup::Source {
 public:
  explicit Objects(Access access, ObjectsOptions options = {});
  ~Objects() override;  // stops

  // A connection for each thread that is here at the same time, kept for the next.
  decision::Answer fetch(const decision::Need& need, Duration timeout) override;
  void stop() override;

 private:
  class Lease;
  decision::Answer get(Api& api, const std::string& path, const std::string& what, lookup::Time deadline);
  decision::Answer read(Api& api, const decision::Need& need, lookup::Time deadline);

  const Access access_;
  const ObjectsOptions options_;
  Discovery discovery_;
  std::mutex mutex_;
  bool stopped_ = false;
  std::vector<std::unique_ptr<Api>> all_;
  std::vector<Api*> idle_;
};

}  // namespace driftbar::cluster
