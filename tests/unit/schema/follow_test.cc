#include "schema/follow.h"

#include <gtest/gtest.h>

namespace driftbar::schema {
namespace {

std::string said(const Shape& root, std::string_view path) {
  constexpr std::string_view kObstacles[] = {"", "unknown field", "no key", "no order", "not many", "scalar"};
  const auto steps = FieldPath::parse(path)->steps();
  const Walk walk = follow(root, steps);
  if (walk.obstacle == Obstacle::kNone) {
    return std::string(describe(walk.end->type)) +
           (walk.newer ? ", newer at " + std::to_string(*walk.newer) : "");
  }
  return std::string(kObstacles[static_cast<std::size_t>(walk.obstacle)]) + " at " +
         std::to_string(walk.step);
}

TEST(Follow, TellsWhereAPathLeadsOrWhichStepLeadsNowhere) {
  const struct {
    std::string_view path;
    std::string_view said;
  } rows[] = {
      {"spec.containers[*].image", "text"},
      {"spec.containers[0].env[\"A\"].value", "text"},
      {"spec.containers[\"trainer\"].securityContext.privileged", "a boolean"},
      {"spec.containers", "a list"},
      {"spec.nodeSelector[\"x/y\"]", "text"},
      {"metadata.labels.app", "text"},
      {"metadata.labels[*]", "text"},
      {"metadata.managedFields[*].fieldsV1.a.b[0].c", "anything"},
      {"spec.containers[*].resources.limits[\"nvidia.com/gpu\"]", "a quantity"},
      {"spec.schedulingGroup.podGroupName", "text, newer at 1"},
      {"spec.contianers[*].image", "unknown field at 1"},
      {"spec.containers[*].imge", "unknown field at 3"},
      {"spec.tolerations[\"x\"].key", "no key at 2"},
      {"spec.nodeSelector[0]", "no order at 2"},
      {"spec.securityContext[0]", "no order at 2"},
      {"spec[*]", "not many at 1"},
      {"spec.hostNetwork.on", "scalar at 2"},
      {"metadata.labels.app.kubernetes", "scalar at 3"},
      {"spec.priority[*]", "scalar at 2"},
  };
  for (const auto& row : rows) EXPECT_EQ(said(pod(), row.path), row.said) << row.path;
}

TEST(Follow, FindsAFieldThatIsElsewhere) {
  const Shape& spec = *pod().field("spec")->shape;
  EXPECT_EQ(wayTo(spec, "image", 3), ".containers[*].image");
  EXPECT_EQ(wayTo(spec, "privileged", 3), ".containers[*].securityContext.privileged");
  EXPECT_EQ(wayTo(pod(), "labels", 3), ".metadata.labels");
  EXPECT_EQ(wayTo(spec, "labels", 3), "");
  EXPECT_EQ(wayTo(pod(), "spec", 1), ".spec");
}

TEST(Follow, TellsWhatAbsenceMeansAndOverHowManyMissingMaps) {
  struct Row {
    std::string_view path, absent;
    std::size_t maps;
  };
  constexpr Row kRows[] = {
      {"spec.restartPolicy", "\"Always\"", 1},
      {"spec.tolerations[*].operator", "\"Equal\"", 0},
      {"spec.containers[*].securityContext.privileged", "false", 1},
      {"spec.containers[*].livenessProbe.httpGet.scheme", "\"HTTP\"", 0},
      {"spec.volumes[*].secret.defaultMode", "420", 0},
      {"spec.securityContext.runAsNonRoot", "false", 2},
      // By what stands beside it: the image's tag, valueFrom, hostNetwork.
      {"spec.containers[*].imagePullPolicy", "", 0},
      {"spec.containers[*].env[*].value", "", 0},
      {"spec.containers[*].ports[*].hostPort", "", 0},
      {"spec.securityContext.runAsUser", "", 2},
      {"spec.nodeSelector[\"pool\"]", "", 0},
      {"spec.tolerations", "", 1},
  };
  for (const auto& row : kRows) {
    const auto walk = follow(pod(), FieldPath::parse(row.path)->steps());
    EXPECT_EQ(walk.absent, row.absent) << row.path;
    EXPECT_EQ(walk.absentMaps, row.maps) << row.path;
  }
}

}  // namespace
}  // namespace driftbar::schema
