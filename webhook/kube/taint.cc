#include "kube/taint.h"

#include <algorithm>

namespace driftbar::kube {

std::vector<Taint> Taint::listOf(Json taints) {
  std::vector<Taint> list;
  for (const Json taint : taints.items()) {
    list.push_back({taint["key"].text(), taint["value"].text(), taint["effect"].text()});
  }
  return list;
}

std::vector<Toleration> Toleration::listOf(Json tolerations) {
  std::vector<Toleration> list;
  for (const Json toleration : tolerations.items()) {
    list.push_back({toleration["key"].text(), toleration["operator"].text(), toleration["value"].text(),
                    toleration["effect"].text()});
  }
  return list;
}

bool Toleration::tolerates(const Taint& taint) const {
  if (!effect.empty() && effect != taint.effect) return false;
  if (!key.empty() && key != taint.key) return false;
  if (op.empty() || op == "Equal") return value == taint.value;
  return op == "Exists";
}

bool closes(const Taint& taint) {
  return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
}

const Taint* untolerated(std::span<const Taint> taints, std::span<const Toleration> tolerations) {
  for (const Taint& taint : taints) {
    const auto tolerates = [&](const Toleration& toleration) { return toleration.tolerates(taint); };
    if (closes(taint) && std::none_of(tolerations.begin(), tolerations.end(), tolerates)) return &taint;
  }
  return nullptr;
}

}  // namespace driftbar::kube
