#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/base/error/error.h"

namespace hpl {

/// A flag as users see it: in --help, in the manual, in what a shell completes.
struct Flag {
  std::string names;                    ///< "-N,--N": the first is that of messages
  std::string value;                    ///< a word for the value: "LIST"; empty: it takes none
  std::string help;                     ///< one sentence
  std::vector<std::string> words = {};  ///< values to choose from; empty: any
  std::string group = {};               ///< of --help, given by CommandLine::group()
  bool optional = false;                ///< the value may be left out: --deep or --deep=60s

  std::vector<std::string> all_names() const;
};

/// A flag that was given, by its first name.
struct GivenFlag {
  std::string name;
  std::string value;  ///< the last one; empty: it takes none
  std::string group;

  friend bool operator==(const GivenFlag&, const GivenFlag&) = default;
};

/// The flag, and its text beside it in lines of at most 80 columns.
std::string help_row(const Flag& flag);

/// The one of `known` that somebody may have meant by `word`, upper and lower case and dashes
/// apart; empty: none.
std::string nearest_word(std::string_view word, std::span<const std::string> known);

/// Runs a program that is neither MPI's nor a device's, and prints its failure in a line of
/// standard error. Returns the exit code.
int run_program(std::string_view name, const std::function<ExitCode()>& program);

/// The command line of a program. Values arrive as text: who adds a flag checks them, so that every
/// message has the form that the messages about HPL.dat have.
class CommandLine {
 public:
  /// Converts and stores; its ConfigError passes through. `flag`: the name, for messages.
  using Read = std::function<void(std::string_view flag, std::string_view text)>;

  CommandLine(std::string program, std::string description, std::string footer);

  /// Flags added from here on stand under this heading, which help() may leave out.
  void group(std::string name, bool hidden = false);
  /// Sets the advice on a flag that this command line does not have ("--tune"); empty: none.
  void advise(std::function<std::string(const std::string& flag)> advice);
  /// A flag with a value; given twice, the last one counts. A value that is left out reads as "".
  void add(Flag flag, Read read);
  /// A flag without one.
  void add(Flag flag, std::function<void()> set);
  /// Words that are no flags.
  void add_words(const std::string& name, const std::string& help, std::vector<std::string>& words);

  /// Reads the words; argv[0] is skipped. Throws ConfigError where the form is bad or a value is,
  /// and where a word is no flag but almost one (-NB, --nb). Other words that nothing knows are
  /// left over.
  void parse(int argc, const char* const* argv);
  /// Throws ConfigError where a word is left over. `advice`: of a word behind a flag with a list.
  void refuse_unknown(std::string_view advice = "") const;
  /// Adds the flags that end every help text, -h,--help and --version.
  void add_help(std::string version);
  /// parse() and refuse_unknown(). The text to print in place of what the program does, where help
  /// or the version was asked for; what else was left over is no fault then. Empty: neither was.
  std::string read(int argc, const char* const* argv);
  /// The flags of the words that were read, in the order of flags().
  std::vector<GivenFlag> given() const;

  /// At most 80 columns wide.
  std::string help() const;
  /// As they were added.
  const std::vector<Flag>& flags() const { return flags_; }

 private:
  struct Parser;

  void keep(Flag flag);

  std::string program_, description_, footer_, group_;
  std::vector<std::string> hidden_;  // groups
  std::vector<Flag> flags_, words_;
  std::function<std::string(const std::string&)> advice_;
  std::unique_ptr<Parser, void (*)(Parser*)> parser_;
};

/// The rows of a page of `xhpl help` that lists names with a text each, "exit-codes" or
/// "environment", for help and manual pages. Empty of another page.
std::vector<Flag> topic_rows(std::string_view topic);

}  // namespace hpl
