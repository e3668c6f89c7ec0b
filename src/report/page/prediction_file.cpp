#include "prediction_file.h"

namespace hpl::page {

namespace {

PredictedRun read_run(const JsonCursor& from) {
  PredictedRun run{.scenario = from.find_text("scenario").value_or(""),
                   .model = from.at("model").text(),
                   .nodes = from.at("nodes").integer(),
                   .order = from.at("order").integer(),
                   .block_size = from.at("block_size").integer(),
                   .grid_rows = from.at("grid_rows").integer(),
                   .grid_columns = from.at("grid_columns").integer(),
                   .seconds = from.at("seconds").number(),
                   .gflops = from.at("gflops").number(),
                   .efficiency = from.find_number("efficiency"),
                   .energy_joules = from.find_number("energy_joules"),
                   .half_order = from.find_integer("half_rate_order"),
                   .over_order = {},
                   .multiply_seconds = 0,
                   .exposed = {}};
  for (const JsonCursor& point : from.elements("rate_over_order"))
    run.over_order.emplace_back(point.at("order").number(), point.at("gflops").number());
  for (const JsonCursor& phase : from.elements("phases")) {
    const std::string name = phase.at("phase").text();
    // Products hide the others; the model counts them as exposed altogether.
    if (name == "matrix multiply")
      run.multiply_seconds = phase.at("busy_seconds").number();
    else
      run.exposed.emplace_back(name, phase.at("exposed_seconds").number());
  }
  run.exposed.emplace_back("waiting for other ranks",
                           from.find_number("waiting_seconds").value_or(0));
  return run;
}

PredictedSystem read_system(const JsonCursor& from) {
  PredictedSystem system{.name = from.at("name").text(),
                         .accelerator = from.find_text("accelerator").value_or(""),
                         .remark = from.find_text("remark").value_or(""),
                         .accelerators = from.find_integer("accelerators").value_or(0),
                         .listed_gflops = from.at("listed_gflops").number(),
                         .gflops = std::nullopt,
                         .least_gflops = from.find_number("least_gflops"),
                         .most_gflops = from.find_number("most_gflops"),
                         .error = from.find_number("error")};
  if (const auto run = from.find("run")) system.gflops = run->at("gflops").number();
  return system;
}

}  // namespace

Predictions read_predictions(const JsonCursor& from) {
  Predictions predictions{.machine = from.find_text("machine").value_or(""),
                          .origin = from.find_text("origin").value_or(""),
                          .runs = {},
                          .systems = {},
                          .median_error = from.find_number("median_error")};
  for (const JsonCursor& run : from.elements("runs"))
    predictions.runs.push_back(read_run(run));
  for (const JsonCursor& system : from.elements("systems"))
    predictions.systems.push_back(read_system(system));
  return predictions;
}

}  // namespace hpl::page
