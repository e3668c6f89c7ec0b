// The files that cmake --install puts into a prefix and cpack into a package work from there.
#include <filesystem>
#include <regex>
#include <sstream>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

class Installed : public XhplTest {
 protected:
  void SetUp() override {
    const Outcome outcome =
        shell("'" HPL_CMAKE "' --install '" HPL_BUILD_DIR "' --prefix \"$PWD/prefix\"");
    ASSERT_EQ(outcome.exit_code, 0) << describe(outcome);
  }

  bool has(const std::string& name) const {
    return std::filesystem::exists(directory() / "prefix" / name);
  }

  /// The words that bash offers for the last of `words`.
  std::string completion(const std::string& file, const std::string& function,
                         const std::string& words) {
    return shell("compopt() { :; }; source prefix/share/bash-completion/completions/" + file +
                 "; COMP_WORDS=(" + words + "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); " +
                 function + "; echo \"${COMPREPLY[*]}\"")
        .output;
  }
};

TEST_F(Installed, HoldsProgramsManualsAndExamples) {
  for (const char* const name :
       {"bin/xhpl", "bin/xhpl-mpirun", "bin/xhpl-predict", "bin/xhpl-report",
        "share/man/man1/xhpl.1", "share/man/man1/xhpl-mpirun.1", "share/man/man1/xhpl-predict.1",
        "share/man/man1/xhpl-report.1", "share/man/man1/xhpl-compare.1",
        "share/xhpl/machines/h200.json", "share/bash-completion/completions/xhpl",
        "share/zsh/site-functions/_xhpl", "share/fish/vendor_completions.d/xhpl.fish",
        "share/xhpl/hpldat/HPL.dat.example", "share/xhpl/schema/run.schema.json",
        "share/xhpl/launch/xhpl.sbatch", "share/doc/xhpl/README.md",
        "share/doc/xhpl/docs/reference.txt", "share/doc/xhpl/docs/schema/run.schema.json"}) {
    EXPECT_TRUE(has(name)) << name;
  }
  EXPECT_FALSE(has("lib")) << "the libraries are parts of the programs";
  EXPECT_TRUE(std::regex_match(shell("prefix/bin/xhpl-report --version").output,
                               std::regex("xhpl-report [0-9.]+\n")));
}

/// Runs each command of the pages' code blocks as far as it goes without ranks: a launcher prints
/// its command, others print their help.
constexpr const char* kEachCommand = R"sh(
mkdir -p tools; for name in srun mpiexec.mpich; do
  printf '#!/bin/sh\n' >tools/$name; chmod +x tools/$name
done
export PATH="$1:$PWD/tools:$PATH"; printf 'n1\nn2\n' >hosts; shift
awk '/^```/ { inside = !inside; next } inside { if (sub(/\\$/, "")) printf "%s", $0; else print }' "$@" |
  sed -E 's/ +#.*//' | grep -oE '(^|[ /])xhpl$|(^|[ /])xhpl [^|;&>]*' |
  sed -E 's/^.*xhpl/xhpl/; s/^xhpl *$/xhpl run/' | grep -vE 'COMMAND|\.\.\.|^xhpl [a-z]+:' |
  awk -F"'" 'NF % 2' | sort -u >commands  # without those whose quotes a pipe cuts
while read -r line; do
  eval "set -- $line"; shift
  case "$1 ${2:-}" in
    launch*) shift; set -- launch --print "$@" ;;
    'fleet --by-job') shift 2; set -- fleet --by-job --print "$@" ;;
    campaign*) set -- campaign --help ;;
    *) set -- "$@" --help ;;
  esac
  xhpl "$@" </dev/null >out 2>&1 || { echo "$line"; cat out; }
done <commands
[ $(wc -l <commands) -gt 50 ] || echo 'the pages have too few commands'
if command -v man >/dev/null; then man -w xhpl xhpl-launch xhpl-report >/dev/null; fi
)sh";

TEST_F(Installed, AndTheBuildHaveEveryCommandOfTheGuide) {
  Words pages{HPL_TESTS_DIR "/../README.md"};
  for (const auto& page : std::filesystem::directory_iterator(HPL_TESTS_DIR "/../docs"))
    if (page.path().extension() == ".md") pages.push_back(page.path().string());
  for (const std::string& place :
       {(directory() / "prefix/bin").string(), std::string(HPL_BUILD_DIR)}) {
    const Outcome outcome =
        program(Words{"bash", "-c", kEachCommand, "each", place} + pages, {}, 110);
    EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
    EXPECT_EQ(outcome.output + outcome.errors, "") << place;
  }
}

TEST_F(Installed, HasAModuleFileThatKnowsItsPrefix) {
  const Outcome outcome = shell("cat prefix/share/modulefiles/xhpl/*");
  EXPECT_TRUE(outcome.output.starts_with("#%Module1.0\n")) << describe(outcome);
  EXPECT_TRUE(shows(outcome, {"set prefix \"" + (directory() / "prefix").string() + "\""}));
  EXPECT_EQ(outcome.output.find('@'), std::string::npos) << describe(outcome);
}

TEST_F(Installed, HasOneVersionInProgramsManualsChangelogCitationAndRecipes) {
  const std::string version = shell("ls prefix/share/modulefiles/xhpl | tr -d '\\n'").output;
  ASSERT_TRUE(std::regex_match(version, std::regex("[0-9]+\\.[0-9]+\\.[0-9]+"))) << version;
  EXPECT_TRUE(shows(shell("prefix/bin/xhpl --version"), {"xhpl: " + version + ","}));
  EXPECT_EQ(shell("grep -L '\"xhpl " + version + "\"' prefix/share/man/man1/*.1").output, "");
  const std::string released =
      shell(
          "sed -n 's/^## .\\([0-9].*\\)] - /\\1 /p' prefix/share/doc/xhpl/CHANGELOG.md | head -n 1")
          .output;
  EXPECT_TRUE(released.starts_with(version + " ")) << released;
  EXPECT_EQ(shell("awk '/^version:/ { v = $2 } /^date-released:/ { print v, $2 }' "
                  "prefix/share/doc/xhpl/CITATION.cff")
                .output,
            released);
  const Outcome others =
      shell("cd '" HPL_TESTS_DIR
            "/../packaging'; grep -rohE '(xhpl[-_]|version.{1,4})[0-9]+[.][0-9]+[.][0-9]+' . | "
            "grep -vF " +
            version);
  EXPECT_EQ(others.output, "") << "versions of another release in packaging";
}

TEST_F(Installed, HasAManualOfEachCommandThatNamesItsFlags) {
  const std::regex flag_of_help("\n  (?:-\\w, )?(--[\\w-]+)");
  int flags = 0;
  for (const std::string command : {"run", "check", "fleet", "tune", "rates", "plan"}) {
    const std::string manual =
        shell("sed 's/\\\\-/-/g' prefix/share/man/man1/xhpl-" + command + ".1").output;
    const std::string help = shell("prefix/bin/xhpl " + command + " --help").output;
    for (std::sregex_iterator flag(help.begin(), help.end(), flag_of_help), end; flag != end;
         ++flag, ++flags)
      EXPECT_NE(manual.find("\\fB" + (*flag)[1].str() + "\\fR"), std::string::npos)
          << command << " " << (*flag)[1];
    EXPECT_EQ(manual.find("@MANUAL"), std::string::npos) << command;
  }
  EXPECT_GT(flags, 80);
}

TEST_F(Installed, ManualPagesAreWellFormed) {
  if (shell("command -v mandoc").exit_code != 0) GTEST_SKIP() << "mandoc is not installed";
  const Outcome outcome = shell("mandoc -T lint -W warning prefix/share/man/man1/*.1");
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
}

TEST_F(Installed, CompletesFlagsValuesAndReports) {
  EXPECT_EQ(completion("xhpl", "_xhpl", "xhpl --js"), "--json\n");
  EXPECT_EQ(completion("xhpl", "_xhpl", "xhpl --device c"), "cpu cuda\n");
  EXPECT_EQ(completion("xhpl", "_xhpl", "xhpl --bcast = 2"), "2ring 2ringM\n");
  EXPECT_EQ(completion("xhpl", "_xhpl", "xhpl --transport m"), "mpi-device mpi-host\n");
  EXPECT_EQ(completion("xhpl", "_xhpl", "xhpl --balance e"), "even\n");
  EXPECT_EQ(completion("xhpl", "_xhpl", "xhpl -N 1"), "\n");
  EXPECT_EQ(completion("xhpl", "_xhpl", "xhpl fl"), "fleet\n");
  EXPECT_EQ(completion("xhpl", "_xhpl", "xhpl fleet pa"), "pair\n");
  EXPECT_EQ(completion("xhpl", "_xhpl", "xhpl launch -n 2 fleet --refe"), "--reference\n");
  EXPECT_EQ(completion("xhpl", "_xhpl", "xhpl check --sto"), "\n");
  EXPECT_EQ(completion("xhpl", "_xhpl", "xhpl help che"), "check\n");
  for (const auto& [words, expected] : {std::pair{"report --tit", "--title"},
                                        {"report --device", ""},
                                        {"compare --fail", "--fail-below"},
                                        {"predict --mod", "--model"},
                                        {"campaign --fl", "--fleet-flags"},
                                        {"launch --per", "--per-node"},
                                        {"launch che", "check"}})
    EXPECT_EQ(completion("xhpl", "_xhpl", std::string("prefix/bin/xhpl ") + words),
              std::string(expected) + "\n")
        << words;
  write_file("run.json", "{}");
  write_file("run.txt", "");
  EXPECT_EQ(completion("xhpl-report", "_xhpl_report", "xhpl-report ru"), "run.json\n");
  EXPECT_EQ(completion("xhpl-predict", "_xhpl_predict", "xhpl-predict --model sa"), "sampled\n");
  EXPECT_EQ(completion("xhpl-report", "_xhpl_report", "xhpl-report --ti"), "--title\n");
  EXPECT_EQ(completion("xhpl-report", "_xhpl_report", "xhpl-report --format j"), "junit\n");
}

TEST_F(Installed, FishOffersTheFlagsOfProgramsOfTheirOwn) {
  if (shell("command -v fish").exit_code != 0) GTEST_SKIP() << "no fish";
  for (const auto& [words, expected] : {std::pair{"report --tit", "--title"},
                                        {"compare --fail", "--fail-below"},
                                        {"predict --mod", "--model"},
                                        {"campaign --fl", "--fleet-flags"},
                                        {"launch --per", "--per-node"}})
    EXPECT_EQ(shell("fish --no-config -c 'source prefix/share/fish/vendor_completions.d/xhpl.fish; "
                    "complete -C \"prefix/bin/xhpl " +
                    std::string(words) + "\"'")
                  .output,
              std::string(expected) + "\n")
        << words;
}

TEST_F(Installed, CompletionsAreWellFormed) {
  const std::string fish = "prefix/share/fish/vendor_completions.d/";
  for (const char* const program : {"xhpl", "xhpl-report", "xhpl-predict"}) {
    EXPECT_EQ(shell("grep -c '^complete -c " + std::string(program) + " ' " + fish + program +
                    ".fish | grep -qv '^[0-9]$'")
                  .exit_code,
              0)
        << program;
    EXPECT_EQ(shell("grep -rl '@[A-Z_]*@' prefix/share/fish").output, "");
  }
  const auto well_formed = [&](const std::string& interpreter, const std::string& files) {
    if (shell("command -v " + interpreter).exit_code != 0) return;
    const Outcome outcome =
        shell("for file in " + files + "; do " + interpreter + " -n \"$file\" || exit; done");
    EXPECT_EQ(outcome.exit_code, 0) << interpreter << describe(outcome);
  };
  well_formed("bash", "prefix/share/bash-completion/completions/*");
  well_formed("zsh", "prefix/share/zsh/site-functions/*");
  well_formed("fish", fish + "*");
}

TEST_F(Installed, ManualsAndHelpHaveTheSameExitCodesAndVariables) {
  const std::string manual = shell("sed 's/\\\\-/-/g' prefix/share/man/man1/xhpl.1").output;
  for (const char* const topic : {"exit-codes", "environment"}) {
    const std::string rows = shell("prefix/bin/xhpl help " + std::string(topic) +
                                   " | sed -n 's/^  \\([^ ,]*\\).*/\\1/p'")
                                 .output;
    std::istringstream names(rows);
    int found = 0;
    for (std::string name; names >> name; ++found)
      EXPECT_NE(manual.find("\\fB" + name + "\\fR"), std::string::npos) << name;
    EXPECT_GE(found, 4) << topic;
  }
}

class Packaged : public XhplTest {
 protected:
  Outcome pack(const std::string& generator) {
    return shell("\"$(dirname '" HPL_CMAKE "')\"/cpack -G " + generator +
                 " --config '" HPL_BUILD_DIR "/CPackConfig.cmake' -B \"$PWD\"");
  }
};

TEST_F(Packaged, ForDebianNamesWhatItNeedsAndRuns) {
  if (shell("command -v dpkg-deb && command -v dpkg-shlibdeps").exit_code != 0)
    GTEST_SKIP() << "this system has no tools for Debian packages";
  const Outcome packed = pack("DEB");
  ASSERT_EQ(packed.exit_code, 0) << describe(packed);
  ASSERT_EQ(shell("dpkg-deb -x xhpl_*.deb unpacked").exit_code, 0);
  const Outcome depends = shell("dpkg-deb -f xhpl_*.deb Depends");
  EXPECT_TRUE(shows(depends, {"openmpi-bin", "libc6"}));
  // Some compilers bring a library that is of no package, or make it a part of the program.
  const Outcome owner = shell(
      "objdump -p unpacked/usr/bin/xhpl | grep 'NEEDED *libstdc' && "
      "dpkg -S \"$(realpath \"$(ldd unpacked/usr/bin/xhpl | awk '/libstdc/ { print $3 }')\")\"");
  EXPECT_EQ(static_cast<bool>(shows(depends, {"libstdc++6"})), owner.exit_code == 0)
      << describe(owner) << describe(depends);
  EXPECT_FALSE(std::filesystem::exists(directory() / "unpacked/usr/share/modulefiles"));
  EXPECT_FALSE(std::filesystem::exists(directory() / "unpacked/usr/lib"));
  const Outcome told = shell("unpacked/usr/bin/xhpl --version");
  EXPECT_EQ(told.exit_code, 0) << describe(told);
  if (shell("command -v lintian").exit_code != 0) return;
  const Outcome judged = shell("lintian --allow-root --fail-on error xhpl_*.deb");
  EXPECT_EQ(judged.exit_code, 0) << describe(judged);
}

TEST_F(Packaged, ForFedoraNamesWhatItNeeds) {
  if (shell("command -v rpmbuild").exit_code != 0)
    GTEST_SKIP() << "this system has no tools for RPM packages";
  const Outcome packed = pack("RPM");
  ASSERT_EQ(packed.exit_code, 0) << describe(packed);
  const Outcome needs = shell("rpm -qp --requires xhpl-*.rpm");
  EXPECT_TRUE(shows(needs, {"openmpi\n", "libmpi.so", "libhwloc.so"}));
  const Outcome files = shell("rpm -qpl xhpl-*.rpm");
  EXPECT_TRUE(shows(files, {"/usr/bin/xhpl\n"}));
  EXPECT_FALSE(shows(files, {"modulefiles"}));
}

}  // namespace
}  // namespace hpl::test
