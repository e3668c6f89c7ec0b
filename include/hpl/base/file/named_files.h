#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include <sys/types.h>

namespace hpl {

enum class FileUse {
  Input,   ///< is read
  Stream,  ///< standard output or standard error, wherever they lead
  Output,  ///< gets new content
};

/// A file that somebody named.
struct NamedFile {
  std::string origin;  ///< for messages: "--json", "HPL.dat line 3", "the input"
  std::filesystem::path path;
  FileUse use = FileUse::Output;
};

/// The files behind the standard streams of this process.
NamedFile standard_output_file();
NamedFile standard_error_file();

/// The target of `path`: absolute, without symbolic links, even if the last of them points to a
/// file that is not there yet. Devices and pipes stay as they are named.
std::filesystem::path resolved_path(const std::filesystem::path& path);

/// Owner of a file, owner and permissions of its directory (stat(2)).
struct FileOwners {
  uid_t owner = 0;
  uid_t directory_owner = 0;
  mode_t directory_mode = 0;
};
/// Whether a user may follow this symbolic link, or write to this pipe or device: one of another
/// user, in a sticky directory that everybody may write to, is a trap, unless the directory's owner
/// made it. The rule of fs.protected_symlinks and fs.protected_fifos at 1 (proc(5)). Pure.
bool may_use(const FileOwners& file, uid_t user);

/// resolved_path() of a file to be written; empty where may_use() forbids a link on the way or a
/// pipe at its end. Whatever takes a name's place later is not followed.
std::optional<std::filesystem::path> output_path(const std::filesystem::path& path);

/// The descriptor of this process that `path` names ("/dev/fd/9", "/dev/stdout"), symbolic links
/// followed; empty where it names none.
std::optional<int> named_descriptor(const std::filesystem::path& path);

/// Throws ConfigError when an output is also an input, another output or a stream, or when an input
/// is also a stream: one of them would be lost. Likewise when an output is the program itself.
/// Files are the same by device and inode, whatever their names are; those that are not there yet
/// by directory and name. Devices and pipes hold nothing that could be lost, so several outputs may
/// go there. A file that is a descriptor must have been open when the program began: later ones
/// belong to the libraries. Empty paths are passed over.
void require_distinct_files(std::span<const NamedFile> files);

/// Beside a JSON report, while its job goes on: the runs since the report was last written, one
/// JSON object a line, {"journal_version":1,"index":3,"run":{...}}. `index` is the run's place in
/// the report's array `runs`, `run` what will stand there. A report with an exit code has no need
/// of it.
inline constexpr int kJournalVersion = 1;

/// "run.json.journal" beside run.json, symbolic links followed.
std::filesystem::path journal_of(const std::filesystem::path& report);

}  // namespace hpl
