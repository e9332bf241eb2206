// The words of which cases are made: few, so that a pod and a node meet in them.
#pragma once

#include <string>

#include "oracle/cases.h"

namespace driftbar::oracle {

inline constexpr const char* kOperators[] = {"In", "NotIn", "Exists", "DoesNotExist", "Gt",
                                             "Lt", "",      "in",     "Equals"};
inline constexpr const char* kLabelValues[] = {"",
                                               "a",
                                               "b",
                                               "5",
                                               "4",
                                               "6",
                                               "05",
                                               "-1",
                                               "+7",
                                               "5.0",
                                               " 6",
                                               "x5x",
                                               "9223372036854775807",
                                               "9223372036854775808"};
inline constexpr const char* kKeys[] = {"k", "zone", "example.com/k", "kubernetes.io/hostname"};
inline constexpr const char* kBadKeys[] = {"",      "a b",           "-k", "k/",    "/k",
                                           "a/b/c", "Example.com/k", "k_", "\u00e4"};

inline constexpr const char* kEffects[] = {"NoSchedule", "NoExecute", "PreferNoSchedule", ""};
inline constexpr const char* kTolerationOperators[] = {"", "Equal", "Exists", "Lt", "Gt", "exists"};

inline Row expressionOf(const std::string& key, const std::string& op, const Row& values) {
  return {{"key", key}, {"operator", op}, {"values", values}};
}

inline void place(const Sink& sink, const Row& spec) {
  sink({{"kind", "place"}, {"spec", spec}});
}

}  // namespace driftbar::oracle
