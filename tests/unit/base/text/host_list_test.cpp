#include "hpl/base/text/host_list.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"

namespace hpl {
namespace {

using Names = std::vector<std::string>;

TEST(HostList, NeighboursBecomeARange) {
  EXPECT_EQ(host_list({"node07", "node01", "node03", "node02"}), "node[01-03,07]");
  EXPECT_EQ(host_list({"node1", "node2"}), "node[1-2]");
}

TEST(HostList, OneHostNeedsNoBrackets) {
  EXPECT_EQ(host_list({"node07"}), "node07");
  EXPECT_EQ(host_list({"login"}), "login");
  EXPECT_EQ(host_list({}), "");
}

TEST(HostList, EachHostStandsThereOnce) {
  EXPECT_EQ(host_list({"n1", "n1", "login", "login"}), "login,n1");
}

TEST(HostList, ZerosInFrontAreKept) {
  EXPECT_EQ(host_list({"n8", "n9", "n10", "n11"}), "n[8-11]");
  EXPECT_EQ(host_list({"n08", "n09", "n10"}), "n[08-10]");
  EXPECT_EQ(host_list({"n099", "n100"}), "n[099-100]");
  // n9 and n010 are no neighbours: a range that begins with 9 goes on with 10.
  EXPECT_EQ(host_list({"n9", "n010"}), "n[9,010]");
}

TEST(HostList, StemsAreKeptApart) {
  EXPECT_EQ(host_list({"a1", "b1", "a2", "rack2n01", "rack1n01"}), "a[1-2],b1,rack1n01,rack2n01");
}

TEST(HostList, NumbersInsideANameAreLeftAlone) {
  EXPECT_EQ(host_list({"n1.site", "n2.site"}), "n1.site,n2.site");
  EXPECT_EQ(host_list({"10.0.0.1", "10.0.0.2"}), "10.0.0.1,10.0.0.2");
  EXPECT_EQ(host_list({"1", "2"}), "1,2");
}

TEST(HostList, GoesThereAndBack) {
  for (const Names& names : {Names{"n08", "n09", "n10"}, Names{"n8", "n9", "n10", "n12"},
                             Names{"a1", "a3", "b"}, Names{}})
    EXPECT_EQ(expand_host_list("--test", host_list(names)), names);
}

TEST(HostList, AThousandHostsAreOneRange) {
  Names names;
  for (int i = 0; i < 1000; ++i)
    names.push_back("node" + std::to_string(1000 + i));
  EXPECT_EQ(host_list(names), "node[1000-1999]");
  EXPECT_EQ(expand_host_list("--test", "node[1000-1999]"), names);
}

TEST(HostList, ANameMayHaveSeveralRanges) {
  EXPECT_EQ(expand_host_list("--test", "r[1-2]n[08-09],login"),
            (Names{"r1n08", "r1n09", "r2n08", "r2n09", "login"}));
  EXPECT_EQ(expand_host_list("--test", "r[1-2][1,3]"), (Names{"r11", "r13", "r21", "r23"}));
}

TEST(HostList, WhatIsNoListIsRefused) {
  for (const char* const text :
       {"node[", "node[1", "node[1-", "node[3-1]", "node[a]", "a,,b", "a,", ",a", "node[1]x", "]",
        "node[]", "n[1-9999999999]", "r[1-2]n[3", "r[1-2]n", "n[1-90000]m[1-90000]"})
    EXPECT_THROW(expand_host_list("--test", text), ConfigError) << text;
}

}  // namespace
}  // namespace hpl
