#pragma once

#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "hpl/report/page/run_file.h"

namespace hpl::page {

/// A field of the forms by which systems are entered into the TOP500 and Green500 lists.
struct FormField {
  std::string key, label, unit;
  nlohmann::ordered_json value;  ///< null: unknown
  std::string note;              ///< where the value is from, or what would bring it
};
struct FormPart {
  std::string list;  ///< "TOP500", "Green500"
  std::vector<FormField> fields;
};

/// Filled from the fastest run that did not fail. Throws ConfigError where there is none.
std::vector<FormPart> top500_form(std::span<const RunFile> files);

std::string form_text(std::span<const FormPart> form);
/// As docs/schema/top500.schema.json describes it.
std::string form_json(std::span<const FormPart> form);

}  // namespace hpl::page
