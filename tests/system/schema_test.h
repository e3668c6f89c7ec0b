#pragma once

#include <map>
#include <optional>
#include <string>

#include "xhpl_fixture.h"

namespace hpl::test {

/// Tests that hold documents against schemas, by a validator that knows nothing of this project.
class SchemaTest : public XhplTest {
 protected:
  /// A Python that has the module, the validator's for instance: the distribution's own first,
  /// where its package puts it. A test asks once.
  std::optional<std::string> python(const std::string& module = "jsonschema");

  /// Success if the documents are valid, or no validator is there. `schema`: a file, or the name of
  /// one in docs/schema.
  testing::AssertionResult valid(const Words& documents,
                                 const std::string& schema = "run.schema.json");

 private:
  std::map<std::string, std::optional<std::string>> pythons_;  // by module
};

}  // namespace hpl::test
