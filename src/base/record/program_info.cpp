#include "hpl/base/record/program_info.h"

#include <string_view>

#include <fmt/format.h>

#include "hpl/base/record/record.h"
#include "hpl/base/record/text_forms.h"

namespace hpl {

namespace {

/// In single quotes where a shell would read more than a word.
std::string quoted_for_shell(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+%@-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos)
    return std::string(word);
  std::string quoted = "'";
  for (const char c : word)
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace

void describe(Record& record, BatchJob& job) {
  record.type("batch_job");
  record("system", job.system);
  record("number", job.number);
}

void describe(Record& record, ProgramInfo& program) {
  record("name", program.name);
  record("version", program.version);
  record("commit", program.commit,
         "Of its sources; \"-dirty\" behind it: changed since. null: unknown.", may_lack({}));
  record("command", program.command, kTextOrNull, "The words that started it, for a shell.",
         may_lack({}));
  record("labels", program.labels, "The words of --label.", may_lack({}));
  record("job", program.job, "Of the batch system. null: none is known.", may_lack({}));
  record("started", program.started, kZonedTimeForm, "When this document was begun.", may_lack({}));
}

std::string command_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + quoted_for_shell(word);
  return text;
}

std::string labels_text(const NamedValues& labels) {
  std::string text;
  for (const auto& [key, value] : labels)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", key, value);
  return text;
}

std::string to_string(const BatchJob& job) {
  return fmt::format("{} job {}", job.system, job.number);
}

NamedValues facts_of(const ProgramInfo& program) {
  NamedValues facts{{"labels", labels_text(program.labels)},
                    {"job", program.job ? to_string(*program.job) : ""},
                    {"command", program.command}};
  std::erase_if(facts, [](const auto& fact) { return fact.second.empty(); });
  return facts;
}

}  // namespace hpl
