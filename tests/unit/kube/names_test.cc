// What is known by name alone: sysctls, capabilities, accelerators.
#include <gtest/gtest.h>

#include "kube/accelerator.h"
#include "kube/capability.h"
#include "kube/sysctl.h"

namespace driftbar::kube {
namespace {

TEST(Sysctl, SlashesAndDotsNameTheSame) {
  std::string room;
  for (const auto& [name, dotted] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"net.core.somaxconn", "net.core.somaxconn"},
           {"net/core/somaxconn", "net.core.somaxconn"},
           {"net/ipv4/conf/eno2.100/rp_filter", "net.ipv4.conf.eno2/100.rp_filter"},
           {"net.ipv4.conf.eno2/100.rp_filter", "net.ipv4.conf.eno2/100.rp_filter"},
           {"plain", "plain"},
           {"", ""}})
    EXPECT_EQ(dottedSysctl(name, room), dotted) << name;
}

TEST(Sysctl, SafeIsWhatKubernetesSays) {
  for (const auto safe : {"net.ipv4.tcp_rmem", "kernel.shm_rmid_forced", "net.ipv4.tcp_notsent_lowat"})
    EXPECT_TRUE(isSafeSysctl(safe)) << safe;
  for (const auto unsafe : {"net.core.somaxconn", "kernel.msgmax", "net.ipv4.tcp_rmem2", ""})
    EXPECT_FALSE(isSafeSysctl(unsafe)) << unsafe;
}

TEST(Sysctl, NamesAreThoseOfTheApi) {
  for (const auto name : {"a", "net.core.somaxconn", "net/ipv4/conf/eno2.100/rp_filter", "a_b-c.d"})
    EXPECT_TRUE(isSysctlName(name)) << name;
  for (const auto name : {"", "A", "a.", ".a", "a..b", "_a", "a_", "a b", "a.-b", "net.*"})
    EXPECT_FALSE(isSysctlName(name)) << name;
  EXPECT_TRUE(isSysctlName(std::string(253, 'a')));
  EXPECT_FALSE(isSysctlName(std::string(254, 'a')));
}

TEST(Capability, IsReadAsRuntimesDo) {
  std::string room;
  for (const auto name : {"SYS_ADMIN", "sys_admin", "CAP_SYS_ADMIN", "cap_Sys_Admin"})
    EXPECT_EQ(plainCapability(name, room), "SYS_ADMIN") << name;
  EXPECT_EQ(plainCapability("all", room), "ALL");
}

TEST(Accelerator, IsAskedForByLimitOrRequest) {
  const auto asks = [](std::string_view resources) {
    const auto document = JsonDocument::parse(R"({"resources":)" + std::string(resources) + "}");
    return asksForAccelerator(document->root());
  };
  EXPECT_TRUE(asks(R"({"limits":{"nvidia.com/gpu":"1"}})"));
  EXPECT_TRUE(asks(R"({"requests":{"nvidia.com/mig-1g.5gb":1}})"));
  EXPECT_TRUE(asks(R"({"limits":{"amd.com/gpu":"some"}})"));
  EXPECT_FALSE(asks(R"({"limits":{"nvidia.com/gpu":"0","cpu":"8"}})"));
  EXPECT_FALSE(asks("null"));
}

}  // namespace
}  // namespace driftbar::kube
