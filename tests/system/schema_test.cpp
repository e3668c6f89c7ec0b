#include "schema_test.h"

#include <filesystem>

#include "support/test_files.h"

namespace hpl::test {

std::optional<std::string> SchemaTest::python(const std::string& module) {
  const auto [found, is_new] = pythons_.try_emplace(module);
  if (!is_new) return found->second;
  for (const char* const candidate : {"/usr/bin/python3", "python3"}) {
    const Outcome outcome = program({candidate, "-c", "import " + module});
    if (outcome.exit_code != 0) continue;
    found->second = candidate;
    break;
  }
  return found->second;
}

testing::AssertionResult SchemaTest::valid(const Words& documents, const std::string& schema) {
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
             "wrong = False\n"
             "for name in sys.argv[2:]:\n"
             "    for fault in validator.iter_errors(json.load(open(name))):\n"
             "        wrong = True\n"
             "        print(name, '/'.join(map(str, fault.path)), fault.message[:300])\n"
             "sys.exit(1 if wrong else 0)\n");
  const std::string file = (std::filesystem::path(schema_file("")) / schema).string();
  const Outcome outcome = program(Words{*interpreter, "validate.py", file} + documents);
  if (outcome.exit_code == 0) return testing::AssertionSuccess();
  return testing::AssertionFailure() << describe(outcome);
}

}  // namespace hpl::test
