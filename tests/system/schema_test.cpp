#include "schema_test.h"

#include <filesystem>

#include "support/test_files.h"

namespace hpl::test {

std::optional<std::string> SchemaTest::python(const std::string& module) {
  for (const char* const candidate : {"/usr/bin/python3", "python3"}) {
    const Outcome outcome = program({candidate, "-c", "import " + module});
    if (outcome.exit_code == 0) return candidate;
  }
  return std::nullopt;
}

testing::AssertionResult SchemaTest::valid(const std::string& name, const std::string& schema) {
  const auto interpreter = python();
  if (!interpreter) return testing::AssertionSuccess();
  write_file("validate.py",
             "import json, sys, jsonschema\n"
             "def strict(part):\n"  // every member that is written must be described
             "    if isinstance(part, dict):\n"
             "        if isinstance(part.get('properties'), dict):\n"
             "            part.setdefault('additionalProperties', False)\n"
             "        for member in part.values(): strict(member)\n"
             "    elif isinstance(part, list):\n"
             "        for member in part: strict(member)\n"
             "schema = json.load(open(sys.argv[1]))\n"
             "jsonschema.Draft202012Validator.check_schema(schema)\n"
             "strict(schema)\n"
             "validator = jsonschema.Draft202012Validator(schema)\n"
             "faults = list(validator.iter_errors(json.load(open(sys.argv[2]))))\n"
             "for fault in faults:\n"
             "    print('/'.join(str(part) for part in fault.path), fault.message[:300])\n"
             "sys.exit(1 if faults else 0)\n");
  const std::string file = (std::filesystem::path(schema_file("")) / schema).string();
  const Outcome outcome = program({*interpreter, "validate.py", file, name});
  if (outcome.exit_code == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << name << ": " << describe(outcome);
}

}  // namespace hpl::test
