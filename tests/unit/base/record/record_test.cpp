#include "hpl/base/record/record.h"

#include <cmath>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/record/program_info.h"
#include "support/message_of.h"

namespace hpl {
namespace {

enum class Metal { Iron, Lead };
constexpr std::array<Choice<Metal>, 2> kMetals{{{Metal::Iron, "iron"}, {Metal::Lead, "lead"}}};

const TextForm<std::uint64_t> kStars{
    [](const std::uint64_t& count) { return std::string(count, '*'); },
    [](std::string_view text) {
      const bool stars = text.find_first_not_of('*') == text.npos;
      return stars ? std::optional<std::uint64_t>(text.size()) : std::nullopt;
    },
    "stars", "^\\**$"};

struct Bolt {
  int turns = 0;
  std::optional<double> force;
  Metal metal = Metal::Iron;
};

void describe(Record& record, Bolt& bolt) {
  record.type("bolt", "holds");
  record("turns", bolt.turns, "until it sits", {.minimum = 1});
  record("force", bolt.force, "newton", {.above = 0, .maximum = 9});
  record("metal", bolt.metal, kMetals, "outside");
}

struct Machine {
  std::string name;
  double weight = 0;
  bool runs = false;
  std::vector<Bolt> bolts;
  std::optional<Bolt> spare;
  std::vector<std::optional<Metal>> metals;
  std::array<double, 2> size{};
  std::vector<std::pair<std::string, double>> prices;
  std::optional<std::uint64_t> stars;
  int doors = 4;
  int owner = -1;  ///< none
  int secret = 0;
  int legs = 4, wheels = 0;

  int twice() const { return 2 * doors; }
};

void describe(Record& record, Machine& machine) {
  record.document({.title = "A machine", .description = "For tests.", .version = 3, .kind = "m"});
  record("name", machine.name);
  record("weight", machine.weight, "kg");
  record("runs", machine.runs);
  record("bolts", machine.bolts, {}, {.most_elements = 3});
  record("spare", machine.spare, "one more");
  record("metals", machine.metals, kMetals);
  record("size", machine.size, {}, {.finite = true});
  record("prices", machine.prices);
  record("stars", machine.stars, kStars);
  record("doors", machine.doors, {}, {.minimum = 0, .added = true});
  record.index("owner", machine.owner);
  record.internal(machine.secret);
  record.group("stand", [&](Record& inner) { inner("legs", machine.legs, "below", kNotZero); });
  record.group_or_null("cart", machine.wheels > 0,
                       [&](Record& inner) { inner("wheels", machine.wheels, {}, may_lack({})); });
  record.computed("twice", [&] { return machine.twice(); });
  record.converted(
      "half", [&] { return machine.doors / 2.0; },
      [&](double half) { machine.doors = static_cast<int>(2 * half); });
}

Machine machine() {
  return {.name = "lathe",
          .weight = 1.5,
          .runs = true,
          .bolts = {{.turns = 2, .force = 4.5}, {.turns = 3, .metal = Metal::Lead}},
          .spare = Bolt{.turns = 9},
          .metals = {Metal::Lead, std::nullopt},
          .size = {2, 3},
          .prices = {{"here", 7}, {"there", 8}},
          .stars = 3,
          .doors = 6};
}

Machine read(const Record::Json& document) {
  return from_json_value<Machine>(JsonCursor(document, "m.json"));
}

std::string refusal(const Record::Json& document) {
  return test::message_of<ConfigError>([&] { read(document); });
}

TEST(Record, IsWrittenInTheOrderOfItsDescription) {
  EXPECT_EQ(
      to_json_value(machine()).dump(),
      R"({"schema_version":3,"kind":"m","name":"lathe","weight":1.5,"runs":true,)"
      R"("bolts":[{"turns":2,"force":4.5,"metal":"iron"},)"
      R"({"turns":3,"force":null,"metal":"lead"}],)"
      R"("spare":{"turns":9,"force":null,"metal":"iron"},"metals":["lead",null],)"
      R"("size":[2.0,3.0],"prices":{"here":7.0,"there":8.0},"stars":"***","doors":6,"owner":null,)"
      R"("stand":{"legs":4},"cart":null,)"
      R"("twice":12,"half":3.0})");
}

TEST(Record, IsReadAsItWasWritten) {
  const Record::Json written = to_json_value(machine());
  EXPECT_EQ(to_json_value(read(written)), written);
  EXPECT_EQ(read(written).doors, 6);
}

TEST(Record, HasNullForANumberThatIsNotFiniteAndReadsItAsNan) {
  Machine one = machine();
  one.weight = INFINITY;
  const Record::Json written = to_json_value(one);
  EXPECT_TRUE(written.at("weight").is_null());
  EXPECT_TRUE(std::isnan(read(written).weight));
}

TEST(Record, KeepsItsBitsInAMessage) {
  Machine one = machine();
  one.weight = INFINITY;
  one.bolts[0].force = 0.1;
  one.owner = 3;
  one.secret = 7;
  one.wheels = 2;
  const Machine other = unpack<Machine>(pack(one));
  EXPECT_EQ(other.weight, INFINITY);
  EXPECT_EQ(other.secret, 7);
  EXPECT_EQ(other.owner, 3);
  EXPECT_EQ(other.wheels, 2);
  EXPECT_EQ(to_json_value(other), to_json_value(one));
}

struct Tool {
  std::string maker;
};
void describe(Record& record, Tool& tool) {
  record("maker", tool.maker, one_of("smith", "founder"));
}

TEST(Record, TakesAWordThatOnlyTheSenderKnowsFromAMessageAndFromNoDocument) {
  const Tool tool{.maker = "joiner"};
  EXPECT_EQ(unpack<Tool>(pack(tool)).maker, "joiner");
  EXPECT_THROW(from_json_value<Tool>(JsonCursor(to_json_value(tool), "tools.json")), ConfigError);
}

// An error of the input would be taken for one that all ranks throw.
TEST(Record, OfAMessageThatDoesNotFitIsAnInternalError) {
  EXPECT_THROW(unpack<Bolt>(pack(Tool{.maker = "smith"})), std::logic_error);
}

TEST(Record, NamesThePlaceWhatWasFoundAndWhatIsAllowed) {
  const auto with = [](const char* pointer, Record::Json value) {
    Record::Json document = to_json_value(machine());
    document[Record::Json::json_pointer(pointer)] = std::move(value);
    return refusal(document);
  };
  EXPECT_EQ(with("/schema_version", 4), "m.json: schema_version must be 3, found 4");
  EXPECT_EQ(with("/program", {{"version", "9"}}), "no error");
  EXPECT_EQ(with("/kind", "n"), "m.json: kind must be m, found \"n\"");
  EXPECT_EQ(with("/bolts/1/turns", 0), "m.json: bolts[1].turns must be at least 1, found 0");
  EXPECT_EQ(with("/bolts/0/force", 10),
            "m.json: bolts[0].force must be above 0 and at most 9, found 10");
  EXPECT_EQ(with("/spare/metal", "gold"),
            "m.json: spare.metal must be iron or lead, found \"gold\"");
  EXPECT_EQ(with("/size/1", nullptr), "m.json: size[1] must be a number, found null");
  EXPECT_EQ(with("/size", {1}), "m.json: size must be an array of 2 elements, found an array");
  EXPECT_EQ(with("/bolts", {1, 2, 3, 4}),
            "m.json: bolts must be an array of 0 to 3 elements, found an array");
  EXPECT_EQ(with("/doors", 1e3),
            "m.json: doors must be a whole number of at most 64 bits, found "
            "1000.0");
  EXPECT_EQ(with("/doors", 5'000'000'000),
            "m.json: doors must be from -2147483648 to 2147483647, found 5000000000");
  EXPECT_EQ(with("/stars", "**+"), "m.json: stars must be stars, found \"**+\"");
}

TEST(Record, NamesTheProgramThatWroteAnotherVersion) {
  Record::Json document = to_json_value(machine());
  document["schema_version"] = 2;
  document["program"] = {{"version", "0.0.9"}};
  EXPECT_EQ(refusal(document), "m.json: schema_version must be 3 (xhpl 0.0.9 wrote it), found 2");
}

TEST(Record, KeepsTheDefaultOfAMemberThatWasAddedLater) {
  Record::Json document = to_json_value(machine());
  document.erase("doors");
  document["half"] = 2;
  EXPECT_EQ(read(document).doors, 4);
  document["stand"]["legs"] = 0;
  EXPECT_EQ(refusal(document), "m.json: stand.legs must be at least 1, found 0");
  document["stand"]["legs"] = 3;
  document.erase("cart");
  EXPECT_EQ(read(document).legs, 3);
  document["cart"] = {{"wheels", 4}};
  EXPECT_EQ(read(document).wheels, 4);
  document.erase("runs");
  EXPECT_EQ(refusal(document), "m.json: the document must have a member runs, found none");
}

TEST(Record, SaysInTheSchemaWhatItReads) {
  const Record::Json schema = Record::schema<Machine>();
  EXPECT_EQ(schema.at("properties").at("schema_version").at("const"), 3);
  EXPECT_EQ(schema.at("title"), "A machine");
  const Record::Json expected = Record::Json::parse(R"({"type": "object",
    "required": ["turns", "force", "metal"], "properties": {
      "turns": {"type": "integer", "minimum": 1, "description": "until it sits"},
      "force": {"type": ["number", "null"], "exclusiveMinimum": 0.0, "maximum": 9.0,
                "description": "newton"},
      "metal": {"type": "string", "enum": ["iron", "lead"], "description": "outside"}},
    "description": "holds"})");
  EXPECT_EQ(schema.at("$defs").at("bolt"), expected);
  const Record::Json& members = schema.at("properties");
  EXPECT_EQ(members.at("bolts").dump(),
            R"({"type":"array","items":{"$ref":"#/$defs/bolt"},"maxItems":3})");
  EXPECT_EQ(members.at("spare").dump(),
            R"({"anyOf":[{"type":"null"},{"$ref":"#/$defs/bolt"}],"description":"one more"})");
  EXPECT_EQ(members.at("metals").at("items").dump(),
            R"({"type":["string","null"],"enum":["iron","lead",null]})");
  EXPECT_EQ(members.at("size").dump(),
            R"({"type":"array","items":{"type":"number"},"minItems":2,"maxItems":2})");
  EXPECT_EQ(members.at("prices").dump(),
            R"({"type":"object","additionalProperties":{"type":["number","null"]}})");
  EXPECT_EQ(members.at("stars").dump(), R"({"type":["string","null"],"pattern":"^\\**$"})");
  EXPECT_EQ(schema.at("required").size() + 1, members.size());  // a cart may be missing
  EXPECT_TRUE(members.contains("twice"));
  EXPECT_EQ(members.at("stand").at("required").dump(), R"(["legs"])");
  EXPECT_EQ(members.at("cart").dump(),
            R"({"anyOf":[{"type":"null"},{"type":"object","required":[],)"
            R"("properties":{"wheels":{"type":"integer"}}}]})");
  EXPECT_TRUE(schema.at("required").dump().find("cart") == std::string::npos);
}

TEST(ProgramInfo, ItsCommandIsOneThatAShellUnderstands) {
  EXPECT_EQ(command_text({"xhpl", "-N", "1000,2k", "--label", "a=it's", ""}),
            "xhpl -N 1000,2k --label 'a=it'\\''s' ''");
}

TEST(ProgramInfo, ShowsOnlyTheFactsThatAreKnown) {
  EXPECT_TRUE(facts_of({.name = "xhpl", .version = "1"}).empty());
  const ProgramInfo program{.name = "xhpl",
                            .version = "1",
                            .command = "xhpl -N 9",
                            .labels = {{"site", "north"}, {"rack", "7"}},
                            .job = BatchJob{"PBS", "12.head"}};
  EXPECT_EQ(facts_of(program), (NamedValues{{"labels", "site=north, rack=7"},
                                            {"job", "PBS job 12.head"},
                                            {"command", "xhpl -N 9"}}));
}

TEST(ProgramInfo, OfAnEarlierDocumentKnowsNothingOfTheStart) {
  const auto program =
      parse_document<ProgramInfo>("old.json", R"({"name": "xhpl", "version": "0.1.0"})", "xhpl");
  EXPECT_EQ(program.version, "0.1.0");
  EXPECT_TRUE(facts_of(program).empty());
  EXPECT_EQ(program.started.seconds, 0);
}

TEST(ProgramInfo, IsReadAsItWasWritten) {
  const ProgramInfo program{.name = "xhpl",
                            .version = "1",
                            .commit = "1a2b",
                            .command = "xhpl",
                            .labels = {{"site", "north"}},
                            .job = BatchJob{"LSF", "3"},
                            .started = {.seconds = 1.5e9, .zone_offset_seconds = 3600}};
  const std::string text = json_text(to_json_value(program));
  EXPECT_EQ(json_text(to_json_value(parse_document<ProgramInfo>("new.json", text, "xhpl"))), text);
}

}  // namespace
}  // namespace hpl
