#include "commands/campaign/archive.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "commands/campaign/proof.h"

namespace hpl::campaign {
namespace {

TEST(Anonymizer, HidesWholeWordsWhateverTheirCase) {
  Anonymizer names;
  names.hide_host("Gpu01.site.example");
  names.hide_host("gpu010");
  names.hide("ada", "user");
  EXPECT_EQ(names.applied_to("gpu01.site.example GPU01 gpu010_log gpu0100 ada adapter gpu[01-02]"),
            "anon-1 anon-1 anon-2_log gpu0100 user adapter anon-[*]");
}

TEST(Anonymizer, TakesSerialNumbersAndHostsFromDocuments) {
  Anonymizer names;
  names.hide_names_in(R"({"hosts": [{"name": "n7", "facts": {"serial": "S700"}}],
                          "ranks": [{"host": "n8", "serial": "S700", "uuid": "GPU-1"}]})");
  names.hide_names_in("no document");
  EXPECT_EQ(names.applied_to("n7 n8 S700 GPU-1 n9"), "anon-1 anon-2 serial-1 serial-2 n9");
}

TEST(Anonymizer, HidesAddressesOfEveryKind) {
  Anonymizer names;
  const std::string text =
      "10.1.2.3 10.1.2.4 10.1.2.3 fe80::1 00:1b:21:aa:bb:cc fe80:0000:0000:0000 1.5.2\n"
      "NET/IB (0x7/ NET/IB (00ff00ff00/ GPU-5b02d074-f354-3d76-1cba-bbe583657031";
  names.hide_addresses_in(text);
  EXPECT_EQ(names.applied_to(text),
            "ip-1 ip-2 ip-1 address address address 1.5.2\nNET/IB (0x7/ NET/IB (address/ GPU");
}

TEST(Anonymizer, LeavesTheLocalHostAndNumbers) {
  Anonymizer names;
  names.hide_host("localhost");
  names.hide_host("10");
  EXPECT_EQ(names.applied_to("localhost 10"), "localhost 10");
}

TEST(Proof, HasTheGridsNearestToASquareAndFlattest) {
  using Grids = std::vector<std::pair<int, int>>;
  EXPECT_EQ(grids_of(1), (Grids{{1, 1}}));
  EXPECT_EQ(grids_of(4), (Grids{{2, 2}, {1, 4}, {4, 1}}));
  EXPECT_EQ(grids_of(16), (Grids{{4, 4}, {2, 8}, {8, 2}}));
  EXPECT_EQ(grids_of(13), (Grids{{1, 13}, {13, 1}}));
}

}  // namespace
}  // namespace hpl::campaign
