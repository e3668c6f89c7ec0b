#include "hpl/input/hpl_dat/hpl_dat.h"

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "sample_hpl_dat.h"
#include "support/holds.h"
#include "support/message_of.h"

namespace hpl {
namespace {

using test::example_with;
using test::kNetlibExample;

HplDat parse(const std::string& text) {
  return parse_hpl_dat(text, "HPL.dat");
}

HplDat netlib_example() {
  return parse(test::join(kNetlibExample));
}

std::string error_of(const std::string& text) {
  return test::message_of<ConfigError>([&] { parse(text); });
}

TEST(HplDat, ReadsEveryFieldOfNetlibsExample) {
  const auto dat = netlib_example();
  EXPECT_EQ(dat.output_file, "HPL.out");
  EXPECT_EQ(dat.output_device, OutputDevice::Stdout);
  EXPECT_EQ(dat.orders, (std::vector<std::int64_t>{29, 30, 34, 35}));
  EXPECT_EQ(dat.block_sizes, (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(dat.rank_order, RankOrder::RowMajor);
  EXPECT_EQ(dat.grid_rows, (std::vector<int>{2, 1, 4}));
  EXPECT_EQ(dat.grid_columns, (std::vector<int>{2, 4, 1}));
  EXPECT_EQ(dat.threshold, 16.0);
  EXPECT_EQ(dat.panel_variants,
            (std::vector{PanelVariant::Left, PanelVariant::Crout, PanelVariant::Right}));
  EXPECT_EQ(dat.recursion_stops, (std::vector<int>{2, 4}));
  EXPECT_EQ(dat.recursion_divisors, (std::vector<int>{2}));
  EXPECT_EQ(dat.recursive_variants,
            (std::vector{PanelVariant::Left, PanelVariant::Crout, PanelVariant::Right}));
  EXPECT_EQ(dat.broadcasts, (std::vector{BroadcastVariant::Ring1}));
  EXPECT_EQ(dat.depths, (std::vector<int>{0}));
  EXPECT_EQ(dat.swap, SwapVariant::Mix);
  EXPECT_EQ(dat.swap_threshold, 64);
  EXPECT_TRUE(dat.transposed_l1);
  EXPECT_TRUE(dat.transposed_u);
  EXPECT_TRUE(dat.equilibrate);
  EXPECT_EQ(dat.alignment, 8);
  EXPECT_EQ(dat.grid_origin, "HPL.dat lines 11 and 12");
  EXPECT_TRUE(dat.remarks.empty());
}

TEST(HplDat, ReadsTheSameFromAnyLineEndByteOrderMarkOrMissingFinalNewline) {
  const auto expected = netlib_example();
  auto without_newline = test::join(kNetlibExample);
  without_newline.pop_back();
  EXPECT_EQ(parse(test::join(kNetlibExample, "\r\n")), expected);
  EXPECT_EQ(parse(test::join(kNetlibExample, "\r\r\n")), expected);
  EXPECT_EQ(parse(test::join(kNetlibExample, "\r")), expected);
  EXPECT_EQ(parse("\xEF\xBB\xBF" + test::join(kNetlibExample)), expected);
  EXPECT_EQ(parse(without_newline), expected);
}

TEST(HplDat, IgnoresEverythingPastLine31) {
  EXPECT_EQ(parse(test::join(kNetlibExample) + "##### HPCC\n-1 nonsense\n" + std::string(3, '\0')),
            netlib_example());
}

TEST(HplDat, TakesBlanksTabsAndCommasBetweenTheValuesOfAList) {
  const auto expected = netlib_example().orders;
  for (const auto* line : {"29  30   34 35 Ns", "\t29\t30\t34\t35", "29,30,34,35 Ns",
                           "29, 30 ,34 , 35, Ns", "  29 30\t ,34 35"}) {
    const auto dat = parse(example_with(6, line));
    EXPECT_EQ(dat.orders, expected) << line;
    EXPECT_TRUE(dat.remarks.empty()) << line;
  }
}

TEST(HplDat, TakesValuesBeyondTheCountAsComment) {
  const HplDat dat = parse(example_with(5, "2"));
  EXPECT_EQ(dat.orders, (std::vector<std::int64_t>{29, 30}));
  ASSERT_EQ(dat.remarks.size(), 1U);
  EXPECT_EQ(dat.remarks[0].text,
            "HPL.dat line 6: N has more values than line 5 says: \"34\" and what follows is not "
            "used");
}

TEST(HplDat, RemarksOnANumberWrittenWithThousandsCommas) {
  auto lines = kNetlibExample;
  lines[4] = "1";
  lines[5] = "100,000  Ns";
  const auto dat = parse(test::join(lines));
  EXPECT_EQ(dat.orders, (std::vector<std::int64_t>{100}));
  ASSERT_EQ(dat.remarks.size(), 1u);
  EXPECT_EQ(dat.remarks[0].about, "N");
  EXPECT_EQ(dat.remarks[0].text,
            "HPL.dat line 6: N is read as 100, what follows the comma in \"100,000\" as comment");
}

TEST(HplDat, NamesCharactersThatLookLikeBlanksAndCommas) {
  EXPECT_EQ(error_of(example_with(8,
                                  "1 2 3\xC2\xA0"
                                  "4")),
            "HPL.dat line 8: NB has a no-break space (U+00A0) in place of a blank, found "
            "\"3\\xC2\\xA04\"");
  EXPECT_EQ(error_of(example_with(6,
                                  "300\xEF\xBC\x8C"
                                  "500 Ns")),
            "HPL.dat line 6: N has a full-width comma (U+FF0C) in place of a comma, found "
            "\"300\\xEF\\xBC\\x8C500\"");
  EXPECT_EQ(error_of(example_with(13, "16.0\xC2\xA0threshold")),
            "HPL.dat line 13: threshold has a no-break space (U+00A0) in place of a blank, found "
            "\"16.0\\xC2\\xA0threshold\"");
}

TEST(HplDat, NamesAFenceOfMarkdown) {
  EXPECT_EQ(error_of("```\n" + test::join(kNetlibExample) + "```\n"),
            "HPL.dat line 1: the file must begin with two headings, found the fence \"```\"");
}

TEST(HplDat, RemarksOnFieldsOfAnotherDialect) {
  auto lines = kNetlibExample;
  lines[28] = "1            ATRANS (0=col-major,1=row-major)";
  const HplDat dat = parse(test::join(lines) + "1            MXSWP (0=orig,1=collectives)\n");
  EXPECT_TRUE(dat.transposed_u);
  ASSERT_EQ(dat.remarks.size(), 2U);
  EXPECT_EQ(dat.remarks[0].text,
            "HPL.dat line 29: U stands where AMD's HPL has ATRANS, which has no effect here: 0 "
            "(transposed) is used");
  EXPECT_EQ(dat.remarks[1].text, "HPL.dat line 32: MXSWP of AMD's HPL has no effect");
}

TEST(HplDat, TakesListsLongerThanNetlibs20Values) {
  auto lines = kNetlibExample;
  std::string orders;
  for (int i = 0; i < 500; ++i)
    orders += std::to_string(i) + " ";
  lines[4] = "500";
  lines[5] = orders;
  const auto dat = parse(test::join(lines));
  ASSERT_EQ(dat.orders.size(), 500u);
  EXPECT_EQ(dat.orders.back(), 499);
}

struct GoodLine {
  int line;
  std::string text;
  bool (*holds)(const HplDat&);
};

TEST(HplDat, AcceptsEveryLegalValueOfALine) {
  const std::vector<GoodLine> cases{
      {3, "\treport.txt,v2 name", [](const HplDat& d) { return d.output_file == "report.txt,v2"; }},
      {4, "7", [](const HplDat& d) { return d.output_device == OutputDevice::Stderr; }},
      {4, "8", [](const HplDat& d) { return d.output_device == OutputDevice::File; }},
      {4, "file device out", [](const HplDat& d) { return d.output_device == OutputDevice::File; }},
      {4, "stderr", [](const HplDat& d) { return d.output_device == OutputDevice::Stderr; }},
      {6, "29 30 34 35 \xC2\xA0# Ns", [](const HplDat& d) { return d.orders.size() == 4; }},
      {21, "0 1 2 # RFACT (0=Left, 1=Crout, 2=Right)",
       [](const HplDat& d) { return d.recursive_variants.size() == 3; }},
      {4, "-1", [](const HplDat& d) { return d.output_device == OutputDevice::File; }},
      {6, "0 1 +34 1000000000", [](const HplDat& d) { return d.orders.back() == 1'000'000'000; }},
      {9, "1", [](const HplDat& d) { return d.rank_order == RankOrder::ColumnMajor; }},
      {9, "1, column", [](const HplDat& d) { return d.rank_order == RankOrder::ColumnMajor; }},
      {13, "-1", [](const HplDat& d) { return d.threshold == -1.0; }},
      {13, "1.6e1 x", [](const HplDat& d) { return d.threshold == 16.0; }},
      {13, "0", [](const HplDat& d) { return d.threshold == 0.0; }},
      {23, "5", [](const HplDat& d) { return d.broadcasts[0] == BroadcastVariant::LongM; }},
      {23, "3", [](const HplDat& d) { return d.broadcasts[0] == BroadcastVariant::Ring2M; }},
      {25, "7", [](const HplDat& d) { return d.depths[0] == 7; }},
      {26, "0", [](const HplDat& d) { return d.swap == SwapVariant::BinaryExchange; }},
      {26, "1", [](const HplDat& d) { return d.swap == SwapVariant::SpreadRoll; }},
      {27, "0", [](const HplDat& d) { return d.swap_threshold == 0; }},
      {28, "1", [](const HplDat& d) { return !d.transposed_l1 && d.transposed_u; }},
      {29, "1", [](const HplDat& d) { return d.transposed_l1 && !d.transposed_u; }},
      {30, "0", [](const HplDat& d) { return !d.equilibrate; }},
      {31, "1", [](const HplDat& d) { return d.alignment == 1; }},
  };
  for (const auto& good : cases) {
    const auto dat = parse(example_with(good.line, good.text));
    EXPECT_TRUE(good.holds(dat)) << "line " << good.line << ": " << good.text;
    EXPECT_TRUE(dat.remarks.empty()) << "line " << good.line << ": " << good.text;
  }
}

TEST(HplDat, UsesNetlibsFallbackAndSaysSo) {
  struct Fallback {
    GoodLine line;
    std::string remark;  ///< after "HPL.dat line n: "
  };
  const std::vector<Fallback> cases{
      {{9, "2", [](const HplDat& d) { return d.rank_order == RankOrder::RowMajor; }},
       "PMAP should be 0 (row-major) or 1 (column-major), found \"2\": 0 (row-major) is used"},
      {{15, "0 1 3", [](const HplDat& d) { return d.panel_variants[2] == PanelVariant::Right; }},
       "PFACT should be 0 (left), 1 (Crout) or 2 (right), found \"3\": 2 (right) is used"},
      {{21, "-1 1 2",
        [](const HplDat& d) { return d.recursive_variants[0] == PanelVariant::Right; }},
       "RFACT should be 0 (left), 1 (Crout) or 2 (right), found \"-1\": 2 (right) is used"},
      {{23, "6", [](const HplDat& d) { return d.broadcasts[0] == BroadcastVariant::Ring1M; }},
       "BCAST should be 0 (1ring), 1 (1ringM), 2 (2ring), 3 (2ringM), 4 (long) or 5 (longM), "
       "found \"6\": 1 (1ringM) is used"},
      {{26, "-5", [](const HplDat& d) { return d.swap == SwapVariant::SpreadRoll; }},
       "SWAP should be 0 (binary-exchange), 1 (spread-roll) or 2 (mix), found \"-5\": 1 "
       "(spread-roll) is used"},
      {{27, "-64", [](const HplDat& d) { return d.swap_threshold == 0; }},
       "swapping threshold should be at least 0, found \"-64\": 0 is used"},
      {{28, "2", [](const HplDat& d) { return d.transposed_l1; }},
       "L1 should be 0 (transposed) or 1 (plain), found \"2\": 0 (transposed) is used"},
      {{29, "-1", [](const HplDat& d) { return d.transposed_u; }},
       "U should be 0 (transposed) or 1 (plain), found \"-1\": 0 (transposed) is used"},
      {{30, "9", [](const HplDat& d) { return d.equilibrate; }},
       "equilibration should be 0 (no) or 1 (yes), found \"9\": 1 (yes) is used"},
      {{31, "0", [](const HplDat& d) { return d.alignment == 4; }},
       "alignment should be at least 1, found \"0\": 4 is used"},
      {{31, "-8", [](const HplDat& d) { return d.alignment == 4; }},
       "alignment should be at least 1, found \"-8\": 4 is used"},
  };
  for (const auto& [line, remark] : cases) {
    const auto dat = parse(example_with(line.line, line.text));
    EXPECT_TRUE(line.holds(dat)) << remark;
    ASSERT_EQ(dat.remarks.size(), 1u) << remark;
    EXPECT_EQ(dat.remarks[0].text, "HPL.dat line " + std::to_string(line.line) + ": " + remark);
  }
}

struct BadLine {
  int line;
  std::string text;
  std::string message;  ///< after "HPL.dat line n: "
};

TEST(HplDat, ReportsLineFieldTextAndWhatIsAllowed) {
  const std::vector<BadLine> cases{
      {3, " \t", "output file name is missing, found a blank line"},
      {4, "HPL.out",
       "device out must be 6 (stdout), 7 (stderr) or another number (the file), found \"HPL.out\""},
      {5, "0", "the number of N values must be at least 1, found \"0\""},
      {5, "-2", "the number of N values must be at least 1, found \"-2\""},
      {5, "four",
       "the number of N values must be a whole number from 1 to 2147483647, found \"four\""},
      {6, "29 -30 34 35", "N must be at least 0, found \"-30\""},
      {6, "29 30 34", "N must have 4 values as line 5 says, found 3"},
      {6, "29 30 34 Ns",
       "N must be a whole number from 0 to 1000000000, found \"Ns\" "
       "(value 4 of the 4 that line 5 asks for)"},
      {6, "1e3 1 1 1", "N must be a whole number from 0 to 1000000000, found \"1e3\""},
      {6, "3000000000 1 1 1", "N must be at most 1000000000, found \"3000000000\""},
      {6, "99999999999999999999 1 1 1",
       "N must be a whole number from 0 to 1000000000, found \"99999999999999999999\""},
      {6, "0x10 1 1 1", "N must be a whole number from 0 to 1000000000, found \"0x10\""},
      {6, "+-1 1 1 1", "N must be a whole number from 0 to 1000000000, found \"+-1\""},
      {7, "1e0",
       "the number of NB values must be a whole number from 1 to 2147483647, found \"1e0\""},
      {7, "", "the number of NB values is missing, found a blank line"},
      {8, "1 2 -3 4", "NB must be at least 1, found \"-3\""},
      {8, "1 0 3 4", "NB must be at least 1, found \"0\""},
      {8, "1 2 3 4.5",
       "NB must be a whole number from 1 to 1000000000, found \"4.5\" "
       "(value 4 of the 4 that line 7 asks for)"},
      {8, "1 2 3 4x",
       "NB must be a whole number from 1 to 1000000000, found \"4x\" "
       "(value 4 of the 4 that line 7 asks for)"},
      {9, "row", "PMAP must be 0 (row-major) or 1 (column-major), found \"row\""},
      {10, "0", "the number of P and Q values must be at least 1, found \"0\""},
      {11, "2 0 4", "P must be at least 1, found \"0\""},
      {11, "2 1", "P must have 3 values as line 10 says, found 2"},
      {11, "2 1 2147483648", "P must be at most 2147483647, found \"2147483648\""},
      {12, "2 4", "Q must have 3 values as line 10 says, found 2"},
      {12, "2 -4 1", "Q must be at least 1, found \"-4\""},
      {13, "nan", "threshold must be a real number such as 16.0, found \"nan\""},
      {13, "inf", "threshold must be a real number such as 16.0, found \"inf\""},
      {13, "16,0", "threshold must be a real number such as 16.0, found \"16,0\""},
      {13, "1e999", "threshold must be a real number such as 16.0, found \"1e999\""},
      {14, "0", "the number of PFACT values must be at least 1, found \"0\""},
      {15, "0 C 2",
       "PFACT must be 0 (left), 1 (Crout) or 2 (right), found \"C\" "
       "(value 2 of the 3 that line 14 asks for)"},
      {16, "-1", "the number of NBMIN values must be at least 1, found \"-1\""},
      {17, "2 0", "NBMIN must be at least 1, found \"0\""},
      {18, "#",
       "the number of NDIV values must be a whole number from 1 to 2147483647, found \"#\""},
      {19, "", "NDIV must have 1 value as line 18 says, found 0"},
      {19, "1", "NDIV must be at least 2, found \"1\""},
      {20, "0", "the number of RFACT values must be at least 1, found \"0\""},
      {21, "0 1 R",
       "RFACT must be 0 (left), 1 (Crout) or 2 (right), found \"R\" "
       "(value 3 of the 3 that line 20 asks for)"},
      {22, "0", "the number of BCAST values must be at least 1, found \"0\""},
      {23, "1rg",
       "BCAST must be 0 (1ring), 1 (1ringM), 2 (2ring), 3 (2ringM), 4 (long) or 5 "
       "(longM), found \"1rg\""},
      {24, "0", "the number of DEPTH values must be at least 1, found \"0\""},
      {25, "-1", "DEPTH must be at least 0, found \"-1\""},
      {26, "long", "SWAP must be 0 (binary-exchange), 1 (spread-roll) or 2 (mix), found \"long\""},
      {27, "x", "swapping threshold must be a whole number from 0 to 1000000000, found \"x\""},
      {28, "T", "L1 must be 0 (transposed) or 1 (plain), found \"T\""},
      {29, "T", "U must be 0 (transposed) or 1 (plain), found \"T\""},
      {30, "yes", "equilibration must be 0 (no) or 1 (yes), found \"yes\""},
      {31, "8.0", "alignment must be a whole number from 1 to 65536, found \"8.0\""},
      {31, "1000000", "alignment must be at most 65536, found \"1000000\""},
  };
  for (const auto& bad : cases) {
    EXPECT_EQ(error_of(example_with(bad.line, bad.text)),
              "HPL.dat line " + std::to_string(bad.line) + ": " + bad.message);
  }
}

TEST(HplDat, ReportsACountAboveTheValuesPresentAtTheListsLine) {
  EXPECT_EQ(error_of(example_with(18, "2")),
            "HPL.dat line 19: NDIV must be a whole number from 2 to 2147483647, found \"NDIVs\" "
            "(value 2 of the 2 that line 18 asks for)");
  EXPECT_EQ(error_of(example_with(22, "2")),
            "HPL.dat line 23: BCAST must be 0 (1ring), 1 (1ringM), 2 (2ring), 3 (2ringM), 4 (long) "
            "or 5 (longM), found \"BCASTs\" (value 2 of the 2 that line 22 asks for)");
  EXPECT_EQ(error_of(example_with(6, "29 30")),
            "HPL.dat line 6: N must have 4 values as line 5 says, found 2");
  EXPECT_EQ(error_of(test::join([] {
              auto lines = kNetlibExample;
              lines[4] = "2147483647";
              lines[5] = "29";
              return lines;
            }())),
            "HPL.dat line 6: N must have 2147483647 values as line 5 says, found 1");
}

TEST(HplDat, ReportsTheFirstMissingLineOfAFileThatEndsEarly) {
  for (int kept = 2; kept < 31; ++kept) {
    std::string text;
    for (int i = 0; i < kept; ++i)
      text += std::string(kNetlibExample[static_cast<std::size_t>(i)]) + "\n";
    const auto message = error_of(text);
    EXPECT_EQ(message.rfind("HPL.dat line " + std::to_string(kept + 1) + ": ", 0), 0u) << message;
    EXPECT_TRUE(test::holds(message, {"the file ends after line " + std::to_string(kept)}));
  }
  EXPECT_EQ(error_of(""),
            "HPL.dat line 3: output file name is missing, the file ends after line 0; HPL.dat has "
            "31 lines");
}

TEST(HplDat, RefusesWhatIsNotPlainText) {
  EXPECT_EQ(error_of(example_with(8, std::string_view("1 2\0 3 4", 8))),
            "HPL.dat line 8: the file must be plain text, found the byte 0x00 in \"1 2\\x00 3 4\"");
  EXPECT_EQ(error_of("\x7F"
                     "ELF"),
            "HPL.dat line 1: the file must be plain text, found the byte 0x7F in \"\\x7FELF\"");
  EXPECT_EQ(error_of("\xFF\xFEH\0P"),
            "HPL.dat line 1: the file is UTF-16; it must be plain text (ASCII or UTF-8)");
}

TEST(HplDat, MakesQuotedTextPrintableAndShort) {
  const auto message = error_of(example_with(8, "1 \xC2\xA0" + std::string(5000, 'x')));
  EXPECT_TRUE(test::holds(message, {"found \"\\xC2\\xA0xxxx", "...\""}));
  EXPECT_LT(message.size(), 250u);
}

}  // namespace
}  // namespace hpl
