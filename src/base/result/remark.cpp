#include "hpl/base/result/remark.h"

#include <algorithm>
#include <array>

#include "hpl/base/choice/choice.h"
#include "hpl/base/record/record.h"

namespace hpl {

namespace {

constexpr std::array<Choice<Severity>, 2> kWeights{{
    {Severity::Remark, "note"},
    {Severity::Warning, "warning"},
}};

}  // namespace

void describe(Record& record, Remark& remark) {
  record.type("remark");
  record("about", remark.about, "what it concerns: N, pipeline, memory");
  record("severity", remark.severity, kWeights);
  record("text", remark.text);
}

void describe(Record& record, Decision& decision) {
  record.type("choice");
  record("about", decision.about, "what was chosen: N, pipeline, transport");
  record("value", decision.value);
  record("reason", decision.reason);
}

std::vector<Remark> remarks_about(std::string_view about, const std::vector<std::string>& texts) {
  std::vector<Remark> remarks;
  for (const std::string& text : texts)
    remarks.push_back(warning(std::string(about), text));
  return remarks;
}

void append(std::vector<Remark>& remarks, const std::vector<Remark>& more) {
  for (const Remark& remark : more)
    if (std::ranges::find(remarks, remark) == remarks.end()) remarks.push_back(remark);
}

std::vector<std::string> texts_of(const std::vector<Remark>& remarks) {
  std::vector<std::string> texts;
  for (const Remark& remark : remarks)
    texts.push_back(remark.text);
  return texts;
}

void describe_remarks(Record& record, std::vector<Remark>& remarks, std::string_view meaning) {
  record.converted(
      "remarks", [&] { return texts_of(remarks); },
      [&](const std::vector<std::string>& texts) { remarks = remarks_about({}, texts); }, meaning);
  record("notes", remarks, "the remarks with what each is about", kAddedLater);
}

}  // namespace hpl
