#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hpl {

/// A flag as users see it: in --help, in the manual, in what a shell completes.
struct Flag {
  std::string names;                    ///< "-N,--N": the first is that of messages
  std::string value;                    ///< what stands for the value: "LIST"; empty: it takes none
  std::string help;                     ///< one sentence
  std::vector<std::string> words = {};  ///< values to choose from; empty: any
  std::string group = {};               ///< of --help, given by CommandLine::group()

  std::vector<std::string> all_names() const;
};

/// A flag that was given, by its first name.
struct GivenFlag {
  std::string name;
  std::string value;  ///< the last one; empty: it takes none
  std::string group;

  friend bool operator==(const GivenFlag&, const GivenFlag&) = default;
};

/// The command line of a program. Values arrive as text: who adds a flag checks them, so that every
/// message has the form that the messages about HPL.dat have.
class CommandLine {
 public:
  /// Converts and stores; its ConfigError passes through. `flag`: the name, for messages.
  using Read = std::function<void(std::string_view flag, std::string_view text)>;

  CommandLine(std::string program, const std::string& description, const std::string& footer);

  /// Flags added from here on stand under this heading.
  void group(std::string name) { group_ = std::move(name); }
  /// A flag with a value; given twice, the last one counts.
  void add(Flag flag, Read read);
  /// A flag with a value that may be given again: each is read, in their order.
  void add_each(Flag flag, Read read);
  /// A flag without one.
  void add(Flag flag, std::function<void()> set);
  /// Words that are no flags.
  void add_words(const std::string& name, const std::string& help, std::vector<std::string>& words);

  /// Reads the words; argv[0] is skipped. Throws ConfigError where the form is bad or a value is,
  /// and where a word is no flag but almost one (-NB, --nb). Other words that nothing knows are
  /// left over.
  void parse(int argc, const char* const* argv);
  /// Throws ConfigError where a word is left over. `advice`: what the message says besides.
  void refuse_unknown(std::string_view advice = "") const;
  /// The flags of the words that were read, in the order of flags().
  std::vector<GivenFlag> given() const;

  std::string help() const;
  /// As they were added.
  const std::vector<Flag>& flags() const { return flags_; }

 private:
  struct Parser;

  std::string program_, group_;
  std::vector<Flag> flags_;
  std::unique_ptr<Parser, void (*)(Parser*)> parser_;
};

}  // namespace hpl
