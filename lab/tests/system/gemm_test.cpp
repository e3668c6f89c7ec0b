// xhpl-gemm as a user starts it, on devices that the host stands for.
#include <nlohmann/json.hpp>

#include "schema_test.h"
#include "support/test_files.h"

namespace hpl::test {
namespace {

class Gemm : public SchemaTest {
 protected:
  Outcome gemm(std::vector<std::string> words) {
    words.insert(words.begin(), {HPL_GEMM_PATH, "--device", "cpu"});
    return run({.words = std::move(words), .directory = directory(), .environment = {}});
  }
  /// The message of a refusal, which is one line and says nothing else.
  std::string refusal(const std::vector<std::string>& words) {
    const Outcome outcome = gemm(words);
    EXPECT_EQ(outcome.exit_code, 2) << describe(outcome);
    EXPECT_EQ(std::count(outcome.errors.begin(), outcome.errors.end(), '\n'), 1)
        << describe(outcome);
    return outcome.errors;
  }
};

TEST_F(Gemm, ComputesEveryVariantInLittleDeviceMemory) {
  const Outcome outcome =
      gemm({"-m", "300,200", "-k", "150", "--device-memory", "600K", "--piece", "96", "--beta",
            "0.5", "--json", "gemm.json", "--trace", "trace.json"});
  ASSERT_EQ(outcome.exit_code, 0) << describe(outcome);
  const auto json = nlohmann::json::parse(read_file("gemm.json"));
  ASSERT_EQ(json["products"].size(), 2U);
  for (const auto& one : json["products"]) {
    ASSERT_EQ(one["variants"].size(), 5U);
    EXPECT_LE(one["device_bytes"].get<std::int64_t>(), 600'000);
    EXPECT_GT(one["break_even_depth"].get<double>(), 0);
    for (const auto& variant : one["variants"])
      EXPECT_TRUE(variant["check"]["passed"].get<bool>()) << variant;
  }
  EXPECT_EQ(json["exit_code"], 0);
  const auto trace = nlohmann::json::parse(read_file("trace.json"));
  std::set<std::string> names;
  for (const auto& event : trace["traceEvents"])
    names.insert(event["name"].get<std::string>());
  for (const char* const name : {"load2", "product", "store1", "dp, m = 300, n = 300, k = 150"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST_F(Gemm, DrawsFiveStagesOfPageableMatricesAndTheHostsPart) {
  const Outcome outcome =
      gemm({"-m", "256",        "-n",        "512",     "-k",           "64",     "--piece",
            "64", "--pageable", "--variant", "hb",      "--host-share", "0.3",    "--devices",
            "2",  "--beta",     "0",         "--trace", "trace.json",   "--json", "gemm.json"});
  ASSERT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_NE(outcome.output.find("in pageable memory"), std::string::npos) << describe(outcome);
  EXPECT_NE(outcome.output.find("the host computed "), std::string::npos) << describe(outcome);
  const auto json = nlohmann::json::parse(read_file("gemm.json"));
  EXPECT_NEAR(json["products"][0]["variants"][0]["host_share"].get<double>(), 0.3, 0.03);
  const auto trace = nlohmann::json::parse(read_file("trace.json"));
  std::set<std::string> names;
  for (const auto& event : trace["traceEvents"])
    names.insert(event["name"].get<std::string>());
  for (const char* const name : {"load1", "load2", "product", "store1", "store2", "host product"})
    EXPECT_TRUE(names.contains(name)) << name;
}

TEST_F(Gemm, RefusesWhatItCannotDoInOneLine) {
  EXPECT_EQ(refusal({"-m", "10"}),
            "xhpl-gemm: -k is not given; the size of C = A B needs -m and -k (-n: as -m)\n");
  EXPECT_NE(refusal({"-m", "2000000", "-k", "10"}).find("A, B and C need 32000"),
            std::string::npos);
  EXPECT_NE(
      refusal({"-m", "500", "-k", "500", "--device-memory", "1K"}).find("are needed at least"),
      std::string::npos);
  EXPECT_NE(refusal({"-m", "500", "-k", "500", "--device-memory", "900T"}).find("can be used"),
            std::string::npos);
  EXPECT_NE(refusal({"--json", "/nowhere/gemm.json"}).find("/nowhere"), std::string::npos);
  EXPECT_NE(refusal({"--json", "same", "--trace", "same"}).find("same"), std::string::npos);
}

TEST_F(Gemm, LeavesTheHostOutWhereItIsAskedTo) {
  const Outcome outcome = gemm({"-m", "128", "-k", "32", "--variant", "hb", "--host-share", "0"});
  ASSERT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_NE(outcome.output.find("the host computed 0.00 %"), std::string::npos)
      << describe(outcome);
}

TEST_F(Gemm, WritesWhatItsSchemaDescribes) {
  if (!python()) GTEST_SKIP() << "no Python with the package jsonschema (python3-jsonschema)";
  const Outcome outcome = gemm({"-m", "200", "-k", "50", "--json", "gemm.json"});
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_TRUE(valid("gemm.json", source_directory() + "/lab/gemm/gemm.schema.json"));
}

TEST_F(Gemm, EndsWithOneMessageWhereOpenBlasHasNoRoomForItsBuffers) {
  if (alone({"--version"}).output.find("BLAS: OpenBLAS") == std::string::npos)
    GTEST_SKIP() << "another BLAS";
  const Outcome outcome =
      run({.words = {"sh", "-c", "ulimit -v 100000000; exec \"$0\" \"$@\"", HPL_GEMM_PATH, "-m",
                     "100", "-k", "100", "--device", "cpu", "--host-threads", "999"},
           .directory = directory(),
           .environment = {}});
  EXPECT_EQ(outcome.exit_code, 3) << describe(outcome);
  EXPECT_NE(outcome.errors.find("xhpl-gemm: OpenBLAS needs "), std::string::npos)
      << describe(outcome);
}

/// The laboratory's part of an installation.
TEST_F(Gemm, IsInstalledWithManualCompletionAndSchema) {
  const auto shell = [&](const std::string& command) {
    return run({.words = {"bash", "-c", command}, .directory = directory(), .environment = {}});
  };
  const Outcome installed = shell("'" HPL_CMAKE "' --install '" HPL_BUILD_DIR
                                  "' --component lab --prefix \"$PWD/prefix\"");
  ASSERT_EQ(installed.exit_code, 0) << describe(installed);
  for (const char* const name :
       {"bin/xhpl-gemm", "share/man/man1/xhpl-gemm.1", "share/zsh/site-functions/_xhpl-gemm",
        "share/xhpl/schema/gemm.schema.json"})
    EXPECT_TRUE(std::filesystem::exists(directory() / "prefix" / name)) << name;
  const auto completion = [&](const std::string& words) {
    return shell(
               "compopt() { :; }; source prefix/share/bash-completion/completions/xhpl-gemm; "
               "COMP_WORDS=(xhpl-gemm " +
               words +
               "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); "
               "_xhpl_gemm; echo \"${COMPREPLY[*]}\"")
        .output;
  };
  EXPECT_EQ(completion("--dev"), "--device --devices --device-memory\n");
  EXPECT_EQ(completion("--variant d"), "db dr dp\n");
  if (shell("command -v mandoc").exit_code != 0) GTEST_SKIP() << "mandoc is not installed";
  const Outcome outcome = shell("mandoc -T lint -W warning prefix/share/man/man1/xhpl-gemm.1");
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
}

}  // namespace
}  // namespace hpl::test
