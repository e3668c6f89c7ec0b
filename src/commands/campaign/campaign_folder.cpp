#include "campaign_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/file/atomic_file.h"
#include "hpl/base/json/json_text.h"
#include "hpl/base/record/record.h"
#include "hpl/base/text/text_value.h"

namespace hpl::campaign {
namespace {

namespace fs = std::filesystem;

std::string host_name() {
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  return name.data();
}

/// The open file is still the one of this name.
bool is_file(int descriptor, const fs::path& path) {
  struct stat open {
  }, named{};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

}  // namespace

std::string text_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

CampaignFolder::CampaignFolder(fs::path path, bool must_be_new) : path_(std::move(path)) {
  std::error_code failure;
  fs::create_directories(path_, failure);
  const std::string shown = shown_text(path_.string());
  if (failure) throw ConfigError("cannot make the directory {}: {}", shown, failure.message());
  const bool is_empty = fs::is_empty(path_, failure);
  if (failure) throw ConfigError("{} cannot be used: {}", shown, failure.message());
  if (must_be_new && !is_empty)
    throw ConfigError("a proof needs a new directory, {} holds files", shown);
  lock();
}

CampaignFolder::~CampaignFolder() {
  if (lock_ < 0) return;
  ::unlink(file(kLockFile).c_str());
  ::close(lock_);
  std::error_code not_empty;
  fs::remove(path_, not_empty);
}

void CampaignFolder::lock() {
  const fs::path path = file(kLockFile);
  do {
    if (lock_ >= 0) ::close(lock_);  // the campaign that had it has ended meanwhile
    lock_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock_ < 0)
      throw ConfigError("{} cannot be used: {}", shown_text(path_.string()),
                        std::generic_category().message(errno));
    if (::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      ::close(std::exchange(lock_, -1));
      throw ConfigError("{} is in use by {}; wait for its end, or give another directory with -o",
                        shown_text(path_.string()), split_lines(text_of(path)).front());
    }
  } while (!is_file(lock_, path));
  const std::string owner = fmt::format("process {} on {}\n", ::getpid(), host_name());
  static_cast<void>(::ftruncate(lock_, 0));
  static_cast<void>(::pwrite(lock_, owner.data(), owner.size(), 0));
}

std::string CampaignFolder::text(std::string_view name) const {
  return text_of(file(name));
}

std::optional<CampaignReport> CampaignFolder::earlier() const {
  const fs::path path = file(kCampaignFile);
  std::error_code none;
  if (!fs::exists(path, none)) return std::nullopt;
  return parse_document<CampaignReport>(path.string(), read_json_text(path.string()),
                                        "xhpl campaign");
}

void CampaignFolder::save(const CampaignReport& report) const {
  AtomicFile(file(kCampaignFile), "the document of the campaign")
      .write(json_text(to_json_value(report)));
}

std::optional<page::RunFile> CampaignFolder::finished(const std::string& step) const {
  try {
    page::RunFile report = page::read_run_file(file(step + ".json").string());
    if (report.job.exit_code && is_verdict(*report.job.exit_code)) return report;
  } catch (const ConfigError&) {  // there is none, or it was not written to its end
  }
  return std::nullopt;
}

void CampaignFolder::put_aside(const std::string& step) const {
  std::error_code none;
  int number = 1;
  while (fs::exists(file(fmt::format("{}.txt.{}", step, number)), none))
    ++number;
  for (const char* const suffix : {".json", ".txt"}) {
    const fs::path now = file(step + suffix);
    fs::rename(now, fmt::format("{}.{}", now.string(), number), none);
  }
}

void CampaignFolder::forget(const std::string& step) const {
  std::error_code none;
  for (const char* const suffix : {".txt", ".json", ".pass", ".warn", ".fail"})
    fs::remove(file(step + suffix), none);
  for (const fs::directory_entry& entry : fs::directory_iterator(path_, none))
    if (entry.path() != file(kCampaignFile) && entry.path() != file(kLockFile)) return;
  fs::remove(file(kCampaignFile), none);
}

}  // namespace hpl::campaign
