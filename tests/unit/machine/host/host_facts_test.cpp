#include "hpl/machine/host/host_facts.h"

#include <algorithm>
#include <map>
#include <optional>

#include <gtest/gtest.h>

namespace hpl {
namespace {

std::map<std::string, std::string> facts_of(const std::map<std::string, std::string>& files) {
  std::map<std::string, std::string> facts;
  for (const auto& [name, value] : host_facts([&](const std::string& path) {
         const auto found = files.find(path);
         return found == files.end() ? std::nullopt : std::optional(found->second);
       }))
    facts[name] = value;
  return facts;
}

TEST(HostFacts, TellMakerBoardFirmwareAndKernel) {
  const auto facts = facts_of({{"/sys/class/dmi/id/sys_vendor", "Maker\n"},
                               {"/sys/class/dmi/id/product_name", "Box 9\n"},
                               {"/sys/class/dmi/id/board_name", "B1\n"},
                               {"/sys/class/dmi/id/bios_version", "2.4\n"},
                               {"/sys/class/dmi/id/bios_date", "01/02/2026\n"},
                               {"/proc/sys/kernel/osrelease", "6.1.0-18\n"},
                               {"/proc/meminfo", "MemTotal:       263850000 kB\nMemFree: 1 kB\n"},
                               {"/etc/os-release", "NAME=x\nPRETTY_NAME=\"Debian 12\"\n"},
                               {"/proc/cpuinfo", "microcode\t: 0xb000\nmicrocode : 0xb001\n"}});
  EXPECT_EQ(facts.at("system"), "Maker Box 9");
  EXPECT_EQ(facts.at("board"), "B1");
  EXPECT_EQ(facts.at("bios"), "2.4 01/02/2026");
  EXPECT_EQ(facts.at("kernel"), "6.1.0-18");
  EXPECT_EQ(facts.at("memory"), "252 GiB");
  EXPECT_EQ(facts.at("os"), "Debian 12");
  EXPECT_EQ(facts.at("microcode"), "0xb000");
}

TEST(HostFacts, NameTheFileOfTheBlas) {
  const auto facts = facts_of({});
  const auto blas = std::ranges::find_if(facts, [](const auto& fact) {
    return fact.first == "libopenblas" || fact.first == "libblas" || fact.first == "libblis" ||
           fact.first.starts_with("libmkl");
  });
  if (blas == facts.end()) GTEST_SKIP() << "the BLAS of this build is part of the program";
  EXPECT_NE(blas->second.find(".so"), std::string::npos) << blas->second;
}

TEST(HostFacts, LeaveOutWhatIsNotTold) {
  const auto facts = facts_of({{"/sys/class/dmi/id/product_serial", "To Be Filled By O.E.M.\n"}});
  EXPECT_EQ(facts.count("serial"), 0U);
  EXPECT_EQ(facts.count("bios"), 0U);
  EXPECT_EQ(facts.count("processor"), 1U);
}

}  // namespace
}  // namespace hpl
