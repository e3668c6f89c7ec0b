#include "hpl/input/command_line/options.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "parsed.h"
#include "support/holds.h"

namespace hpl {
namespace {

using test::error_of;
using test::parse;

TEST(Options, AreDefaultsWithoutArguments) {
  const auto options = parse({});
  EXPECT_TRUE(options.help_text.empty());
  EXPECT_EQ(options.command, Command::Run);
  EXPECT_FALSE(options.show_version || options.runs.automatic || options.machine.share_device);
  EXPECT_TRUE(options.wishes.attainable_rate && options.machine.bind && options.check.before_runs);
  EXPECT_EQ(options.check.tolerance, 5);
  EXPECT_TRUE(options.fields.orders.empty() && options.fields.block_sizes.empty());
  EXPECT_FALSE(options.runs.dat_file || options.fields.threshold || options.fields.swap ||
               options.outputs.progress);
  EXPECT_EQ(options.runs.repeat, 1);
  EXPECT_EQ(options.machine.threads, 0);
  EXPECT_EQ(options.watchdog_seconds, 600);
  EXPECT_EQ(options.machine.device, std::nullopt);
}

TEST(Options, TakeListsWithCommas) {
  const auto options = parse(
      "-N 1000,0,3 --NB=64,128 -P1,2 --Q 4 --bcast 0,longM,BLONG --pfact L,crout,2 --depth 0,1 "
      "--nbmin 1,2 --ndiv 2");
  EXPECT_EQ(options.fields.orders, (std::vector<std::int64_t>{1000, 0, 3}));
  EXPECT_EQ(options.fields.block_sizes, (std::vector<std::int64_t>{64, 128}));
  EXPECT_EQ(options.fields.grid_rows, (std::vector<int>{1, 2}));
  EXPECT_EQ(options.fields.grid_columns, (std::vector<int>{4}));
  EXPECT_EQ(
      options.fields.broadcasts,
      (std::vector{BroadcastVariant::Ring1, BroadcastVariant::LongM, BroadcastVariant::Long}));
  EXPECT_EQ(options.fields.panel_variants,
            (std::vector{PanelVariant::Left, PanelVariant::Crout, PanelVariant::Right}));
  EXPECT_EQ(options.fields.depths, (std::vector<int>{0, 1}));
}

TEST(Options, TakeLabels) {
  EXPECT_EQ(parse({"--label", "site=north,image=2026-11,note=a b,site=south"}).outputs.labels,
            (NamedValues{{"image", "2026-11"}, {"note", "a b"}, {"site", "south"}}));
  for (const char* const bad : {"site", "site=", "=north", "7=a", "a-b=c", "a=b\n"})
    EXPECT_NE(error_of({"--label", bad}).find("--label must be a list of KEY=VALUE"),
              std::string::npos)
        << bad;
}

TEST(Options, TakeValuesBehindAnEqualsSign) {
  const auto options = parse("-N=30,40 -P=1 -Q=2 --node-rows=1 --node-columns=2 --NB=8");
  EXPECT_EQ(options.fields.orders, (std::vector<std::int64_t>{30, 40}));
  EXPECT_EQ(options.fields.grid_rows, (std::vector<int>{1}));
  EXPECT_EQ(options.fields.grid_columns, (std::vector<int>{2}));
  EXPECT_EQ(options.fields.node_rows, 1);
  EXPECT_EQ(options.fields.node_columns, 2);
}

TEST(Options, TakeNoOtherWordForAValueThatIsMissing) {
  for (const std::string flag : {"-N", "--N", "--NB", "--json"})
    EXPECT_EQ(error_of({flag + "=", "30"}),
              flag + " must be followed by a value, found none; xhpl run --help shows every flag");
  EXPECT_EQ(
      error_of("-N==30"),
      "-N must be a whole number from 0 to 1000000000, found \"=30\", or with a unit as in 20k or "
      "1M");
  EXPECT_EQ(error_of("-N=-3"), "-N must be at least 0, found \"-3\"");
  EXPECT_TRUE(test::holds(error_of("-h=1"), {"--help must stand without a value"}));
  // The value of a flag is no flag.
  EXPECT_EQ(error_of("--json -N=30"), "--json must be a file name, found \"-N=30\"");
}

TEST(Options, TakeNamesAsWellAsDigits) {
  EXPECT_EQ(parse("--swap long").fields.swap, SwapVariant::SpreadRoll);
  EXPECT_EQ(parse("--swap 1").fields.swap, SwapVariant::SpreadRoll);
  EXPECT_EQ(parse("--swap Mix").fields.swap, SwapVariant::Mix);
  EXPECT_EQ(parse("--pmap column").fields.rank_order, RankOrder::ColumnMajor);
  EXPECT_EQ(parse("--pmap 1").fields.rank_order, RankOrder::ColumnMajor);
  EXPECT_EQ(parse("--l1 0").fields.transposed_l1, true);
  EXPECT_EQ(parse("--u plain").fields.transposed_u, false);
  EXPECT_EQ(parse("--equil yes").fields.equilibrate, true);
  EXPECT_EQ(parse("--device cuda").machine.device, hpcx::Backend::Cuda);
  EXPECT_EQ(parse("--panel host").wishes.panel, PanelRequest::Host);
  EXPECT_EQ(parse("--pipeline coarse").wishes.pipeline, PipelineKind::Coarse);
  EXPECT_EQ(parse("--pipeline serial").wishes.pipeline, PipelineKind::Serial);
}

TEST(Options, TakeEveryOtherFlag) {
  const auto options = parse(
      "--mem-fraction 0.98 --repeat 3 --share-device --threads 8 --chunk 512 --solve-rows 0 "
      "--panel-units 24 --no-attainable --no-bind --trace t.json --progress never "
      "--watchdog 0.5 --dat x/HPL.dat --threshold -1" +
      test::Words{"--json", "a b.json"});
  EXPECT_EQ(options.runs.mem_fraction, 0.98);
  EXPECT_EQ(options.runs.repeat, 3);
  EXPECT_TRUE(options.machine.share_device);
  EXPECT_EQ(options.machine.threads, 8);
  EXPECT_EQ(options.wishes.chunk, 512);
  EXPECT_EQ(options.wishes.solve_rows, 0);
  EXPECT_EQ(options.wishes.panel_units, 24);
  EXPECT_FALSE(options.wishes.attainable_rate);
  EXPECT_FALSE(options.machine.bind);
  EXPECT_EQ(options.outputs.json, "a b.json");
  EXPECT_EQ(options.outputs.trace, "t.json");
  EXPECT_EQ(options.outputs.progress, false);
  EXPECT_EQ(options.watchdog_seconds, 0.5);
  EXPECT_EQ(options.runs.dat_file, "x/HPL.dat");
  EXPECT_EQ(options.fields.threshold, -1.0);
  EXPECT_TRUE(parse("--version").show_version);
  EXPECT_EQ(parse("check --tolerance 2.5").check.tolerance, 2.5);
  EXPECT_FALSE(parse("check").check.deep);
  EXPECT_TRUE(parse("check --deep").check.deep);
  EXPECT_EQ(parse("check --deep --threads 2").machine.threads, 2);
  EXPECT_EQ(parse("check --deep=2m").check.deep_seconds, 120);
  EXPECT_FALSE(parse("--no-check").check.before_runs);
  EXPECT_TRUE(parse("--reproducible --balance even").wishes.reproducible);
  EXPECT_TRUE(parse("--auto").runs.automatic);
  EXPECT_EQ(parse("--arithmetic fp64").wishes.emulated_moduli, 0);
  EXPECT_EQ(parse("--arithmetic emulated").wishes.emulated_moduli, 15);
  EXPECT_EQ(parse("--arithmetic emulated:12").wishes.emulated_moduli, 12);
  EXPECT_EQ(parse("--progress always").outputs.progress, true);
  EXPECT_EQ(parse("--pinned-memory 0").wishes.pinned_memory, 0);
  EXPECT_EQ(parse("--pinned-memory 2G").wishes.pinned_memory, 2'000'000'000);
}

TEST(Options, SayHowLoudEachCommandIs) {
  for (const std::string command : {"run", "check", "fleet", "plan"}) {
    EXPECT_EQ(parse({command}).outputs.detail, Detail::Usual);
    EXPECT_EQ(parse({command, "-q"}).outputs.detail, Detail::Verdict);
    EXPECT_EQ(parse({command, "-q"}).outputs.progress, false);
    EXPECT_EQ(parse({command, "--verbose"}).outputs.detail, Detail::Everything);
    EXPECT_TRUE(test::holds(error_of({command, "-q", "-v"}), {"-q and -v do not go together"}));
    EXPECT_EQ(parse({command, "--quiet", "--progress", "always"}).outputs.progress, true);
    EXPECT_EQ(parse({command}).outputs.color, std::nullopt);
    EXPECT_EQ(parse({command, "--color", "never"}).outputs.color, false);
    EXPECT_EQ(parse({command, "--color=always"}).outputs.color, true);
  }
  EXPECT_TRUE(test::holds(error_of("--color yes"), {"--color must be auto, never or always"}));
}

TEST(Options, LetTheLastOfARepeatedFlagCount) {
  EXPECT_EQ(parse("-N 1,2 -N 3").fields.orders, (std::vector<std::int64_t>{3}));
}

TEST(Options, NameFlagTextAndWhatIsAllowed) {
  const std::vector<std::pair<test::Words, std::string>> cases{
      {"-N -3", "-N must be at least 0, found \"-3\""},
      {"--N 2G",
       "-N must be a whole number from 0 to 1000000000, found \"2G\", or with a unit as in 20k or "
       "1M"},
      {"-N 1e3",
       "-N must be a whole number from 0 to 1000000000, found \"1e3\", or with a unit as in 20k or "
       "1M"},
      {"-N 3000000000", "-N must be at most 1000000000, found \"3000000000\""},
      {"--NB 0", "--NB must be at least 1, found \"0\""},
      {"--NB 1,,2", "--NB must be a value or a list such as 1,2, found \"1,,2\""},
      {{"--NB", ""}, "--NB must be a value or a list such as 1,2, found \"\""},
      {"-P 0", "-P must be at least 1, found \"0\""},
      {"--ndiv 1", "--ndiv must be at least 2, found \"1\""},
      {"--pfact up", "--pfact must be 0 (left), 1 (Crout) or 2 (right), found \"up\""},
      {"--swap 3", "--swap must be 0 (binary-exchange), 1 (spread-roll) or 2 (mix), found \"3\""},
      {"--threshold nan", "--threshold must be a real number such as 16.0, found \"nan\""},
      {"--mem-fraction 0", "--mem-fraction must be above 0 and at most 0.98 or 98%, found \"0\""},
      {"--mem-fraction 99%",
       "--mem-fraction must be above 0 and at most 0.98 or 98%, found \"99%\""},
      {"--device gpu", "--device must be auto, cpu, cuda or hip, found \"gpu\""},
      {"--device 1", "--device must be auto, cpu, cuda or hip, found \"1\""},
      {"--arithmetic int8",
       "--arithmetic must be fp64, emulated or emulated:MODULI with 12 to 16 moduli, found "
       "\"int8\""},
      {"--arithmetic emulated:17",
       "--arithmetic must be fp64, emulated or emulated:MODULI with 12 to 16 moduli, found "
       "\"emulated:17\""},
      {"--panel x", "--panel must be auto, host or device, found \"x\""},
      {"--pipeline x", "--pipeline must be auto, fine, coarse or serial, found \"x\""},
      {"--repeat 0", "--repeat must be at least 1, found \"0\""},
      {"--threads -1", "--threads must be at least 0, found \"-1\""},
      {"--grid 2x2", "--grid must be given or auto, found \"2x2\""},
      {"--node-rows 0", "--node-rows must be at least 1, found \"0\""},
      {"--watchdog -1", "--watchdog must be seconds from 0 to 1000000000, found \"-1\""},
      {"--pinned-memory little",
       "--pinned-memory must be an amount of memory such as 40G or 512MiB, found \"little\""},
      {"--device-memory much",
       "--device-memory must be an amount of memory such as 40G or 512MiB, found \"much\""},
      {"--align 0", "--align must be at least 1, found \"0\""},
      {{"--json", ""}, "--json must be a file name, found \"\""},
      {"--json --auto", "--json must be a file name, found \"--auto\""},
      {"--json",
       "--json must be followed by a value, found none; xhpl run --help shows every flag"},
      {{"--weather\x01"}, "unknown argument \"--weather\\x01\"; xhpl run --help shows every flag"},
      {"--auto 2", "unknown argument \"2\"; xhpl run --help shows every flag"},
      {"-N 1 2",
       "unknown argument \"2\"; lists are written with commas (-N 1000,2000), xhpl run --help "
       "shows every flag"},
      {"-NB 512", "unknown argument \"-NB\", did you mean --NB?"},
      {"--nb=512", "unknown argument \"--nb\", did you mean --NB?"},
      {"-n 5", "unknown argument \"-n\", did you mean -N?"},
      {"--no_check", "unknown argument \"--no_check\", did you mean --no-check?"},
      {"--trasport mpi", "unknown argument \"--trasport\", did you mean --transport?"},
      {"--tolerance 0", "--tolerance must be above 0 and at most 1000, found \"0\""},
      {"--tolerance 5%", "--tolerance must be above 0 and at most 1000, found \"5%\""},
      {"check --deep=2h", "--deep must be at most 1h, found \"2h\""},
      {"check --deep=60", "--deep must be a time such as 30s, 10m or 1h30m, found \"60\""},
      {"tune -o t.dat --for 10", "--for must be a time such as 30s, 10m or 1h30m, found \"10\""},
      {"tune -o t.dat --method local16",
       "--method must be halving, local32 or local64, found \"local16\""},
      {"tune", "xhpl tune needs -o FILE, the file that it writes"},
      {"rates --threads 1", "xhpl rates needs -o FILE, the file that it writes"},
      {"--matrix disk", "--matrix must be device, host or auto, found \"disk\""},
      {"--matrix host:steps=0", "--matrix: steps must be at least 1, found \"0\""},
      {"--matrix host:share=2",
       "--matrix: share must be auto or a fraction from 0 to 1, found \"2\""},
      {"--matrix host:speed=2",
       "--matrix: settings of host memory are schedule=, steps=, columns= and share=, found "
       "\"speed=2\""},
      {"--matrix device:steps=2",
       "--matrix: settings belong to host and auto, found \"device:steps=2\""},
      {"--matrix host:schedule=three-stage,steps=2",
       "--matrix: schedule=three-stage and steps= do not go together: its visits are of one step; "
       "leave one of them out"},
      {"--for 3s", "--for is no flag of xhpl run; it belongs to xhpl fleet, xhpl tune"},
  };
  for (const auto& [arguments, message] : cases)
    EXPECT_EQ(error_of(arguments), message);
}

TEST(Options, AskForHplMxpByTheCommandOrAFlag) {
  EXPECT_FALSE(parse({}).wishes.mixed.wanted);
  for (const char* const words : {"mxp", "--mxp", "fleet --mxp", "plan --mxp"})
    EXPECT_TRUE(parse(words).wishes.mixed.wanted) << words;
  const MixedWishes mixed = parse(
                                "mxp --mxp-matrix dominant:openmxp --precision bf16 --storage 32 "
                                "--solver plain --mxp-diagonal 0.5")
                                .wishes.mixed;
  EXPECT_EQ(mixed, (MixedWishes{.wanted = true,
                                .entries = MixedEntries::DominantOpenMxp,
                                .diagonal = 0.5,
                                .operands = hpcx::Precision::Bf16,
                                .storage_bits = 32,
                                .solver = MixedSolver::Plain}));
  EXPECT_EQ(error_of("mxp --storage 16 --precision fp32"),
            "--storage=16 and --precision=fp32 do not go together: products of FP32 need a matrix "
            "of 32 bits; leave one of them out");
  EXPECT_EQ(error_of("mxp --verify always"),
            "--verify is no flag of xhpl mxp; it belongs to xhpl run, xhpl fleet, xhpl plan");
  EXPECT_EQ(error_of("mxp --matrix host"),
            "--mxp and --matrix do not go together: the matrix of HPL-MxP lives in the device's "
            "memory; leave one of them out");
}

TEST(Options, TuningHasAFileATimeAndAMethod) {
  EXPECT_EQ(parse("tune -o t.dat").tune.seconds, 600);
  const Options options = parse("tune -o a/t.dat --for 2m --method local64");
  EXPECT_EQ(options.outputs.dat, "a/t.dat");
  EXPECT_EQ(options.tune.seconds, 120);
  EXPECT_EQ(options.tune.method, TuneMethod::Local64);
  EXPECT_EQ(options.evidence_file(), "a/t.dat.json");
  EXPECT_EQ(parse("tune -o t.dat --json e.json").evidence_file(), "e.json");
}

/// "--threads 3" for each.
std::vector<std::string> decisive(const test::Words& arguments) {
  std::vector<std::string> texts;
  for (const GivenFlag& flag : flags_that_decide(parse(arguments)))
    texts.push_back(flag.value.empty() ? flag.name : flag.name + " " + flag.value);
  return texts;
}

TEST(Options, KnowWhichOfTheirFlagsDecideARate) {
  const std::vector<std::string> none;
  EXPECT_EQ(decisive({}), none);
  EXPECT_EQ(decisive("--json x --progress never --no-check --watchdog 5"), none);
  EXPECT_EQ(decisive("--arithmetic fp64 --matrix=device --threads 0"), none)
      << "what is asked for is the default";
  EXPECT_EQ(decisive("--matrix=auto:share=0.5 --share-device --threads 2 --arithmetic emulated -N2 "
                     "--threads=3 --arithmetic=fp64"),
            (std::vector<std::string>{"-N 2", "--matrix auto:share=0.5", "--threads 3",
                                      "--share-device"}))
      << "the last one counts";
}

/// A new flag of these groups decides until somebody says that it does not.
TEST(Options, TakeEveryFlagOfARunForOneThatDecides) {
  const auto number_of = [](const std::string& name) {
    return name == "--device-memory" || name == "--pinned-memory" ? "1G"
           : name == "--arithmetic"                               ? "emulated"
                                                                  : "2";
  };
  const std::set<std::string> groups{"Sizes", "Other fields of HPL.dat", "Runs", "Tuning"};
  for (const Flag& flag : command_flags(Command::Run)) {
    if (!groups.contains(flag.group)) continue;
    const std::string name = flag.all_names().front();
    test::Words words{name};
    if (!flag.value.empty())
      words.push_back(flag.words.empty() ? number_of(name) : flag.words.back());
    const std::vector<std::string> found = decisive(words);
    EXPECT_TRUE(std::ranges::any_of(found, [&](const std::string& text) {
      return text == name || text.starts_with(name + " ");
    })) << name;
  }
}

TEST(Options, RefuseAValueForAFlagThatTakesNone) {
  for (const auto* flag : {"--no-check=5", "--no-bind=false", "--auto=maybe"}) {
    const auto message = error_of({flag});
    EXPECT_NE(message, "no error") << flag;
    EXPECT_NE(message.find(std::string(flag).substr(0, 6)), std::string::npos) << message;
  }
}

TEST(Options, OrdersHaveUnits) {
  EXPECT_EQ(parse("-N 20k,1M,300").fields.orders,
            (std::vector<std::int64_t>{20'000, 1'000'000, 300}));
  EXPECT_EQ(parse("--mem-fraction 80%").runs.mem_fraction, 0.8);
}

TEST(Options, StandardInputIsADash) {
  EXPECT_EQ(parse("--dat -").runs.dat_file, "/dev/stdin");
}

TEST(Options, HostMemoryHasSettingsBehindTheMatrix) {
  const Wishes wishes = parse("--matrix host:steps=4,columns=64,share=auto").wishes;
  EXPECT_EQ(wishes.matrix, MatrixRequest::Host);
  EXPECT_EQ(wishes.visit_steps, 4);
  EXPECT_EQ(wishes.visit_columns, 64);
  EXPECT_EQ(wishes.host_share, std::nullopt);
  EXPECT_EQ(parse("--matrix auto:schedule=three-stage").wishes.host_schedule,
            HostSchedule::ThreeStage);
  EXPECT_EQ(parse("--matrix host:share=0.5 --matrix host").wishes.host_share, 0.0)
      << "the last one counts";
}

}  // namespace
}  // namespace hpl
