// Facts: all that a rule may ask about a request, as plain values. Whoever judges fills them in; nothing here
// is fetched, and what is not known says so.
#pragma once

#include <span>
#include <string_view>

#include "base/json.h"
#include "base/time.h"
#include "kube/labels.h"
#include "kube/review.h"

namespace driftbar::policy {

struct Facts {
  const kube::Request* request = nullptr;              // never null when judging
  Json pod;                                            // the pod that is judged; missing where there is none
  Json object, oldObject;                              // what `object` and `oldObject` in field paths mean
  std::string_view ns;                                 // empty for what is not in a namespace
  const kube::Labels* namespaceLabels = nullptr;       // null: not known
  Json namespaceObject;                                // missing: not known
  std::span<const std::string_view> systemNamespaces;  // globs, besides `kube-*`
  Instant now{};

  // Of a request about a pod. What the request does not say (namespace, system namespaces, the time) is left
  // as it is. To judge what was there before, put `request.oldObject` in the place of `pod` and `object`.
  static Facts of(const kube::Request& request) {
    Facts facts;
    facts.request = &request;
    facts.pod = facts.object = request.subject();
    facts.oldObject = request.oldObject;
    facts.ns = request.ns;
    return facts;
  }
};

}  // namespace driftbar::policy
