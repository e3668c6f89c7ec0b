#pragma once

#include <fstream>
#include <regex>
#include <string>

#include <nlohmann/json.hpp>

// Templates that many tests would instantiate alike, instantiated once: in precompiled_text.cpp,
// which makes the word "extern" empty. A part of the precompiled header; nothing else includes it.
#ifndef HPL_TEST_EXTERN
#define HPL_TEST_EXTERN extern
#endif

HPL_TEST_EXTERN template class std::basic_regex<char>;
HPL_TEST_EXTERN template class std::match_results<std::string::const_iterator>;
HPL_TEST_EXTERN template class std::match_results<const char*>;
HPL_TEST_EXTERN template class std::regex_iterator<std::string::const_iterator>;
HPL_TEST_EXTERN template class nlohmann::basic_json<>;
HPL_TEST_EXTERN template class nlohmann::basic_json<nlohmann::ordered_map>;

namespace std {

HPL_TEST_EXTERN template bool regex_search(const string&, const regex&,
                                           regex_constants::match_flag_type);
HPL_TEST_EXTERN template bool regex_search(const string&, smatch&, const regex&,
                                           regex_constants::match_flag_type);
HPL_TEST_EXTERN template bool regex_match(const string&, const regex&,
                                          regex_constants::match_flag_type);
HPL_TEST_EXTERN template bool regex_match(const string&, smatch&, const regex&,
                                          regex_constants::match_flag_type);
HPL_TEST_EXTERN template string regex_replace(const string&, const regex&, const char*,
                                              regex_constants::match_flag_type);

}  // namespace std

namespace nlohmann {

HPL_TEST_EXTERN template json json::parse(const std::string&, parser_callback_t, bool, bool);
HPL_TEST_EXTERN template json json::parse(std::string&, parser_callback_t, bool, bool);
HPL_TEST_EXTERN template json json::parse(std::string&&, parser_callback_t, bool, bool);
HPL_TEST_EXTERN template json json::parse(std::ifstream&, parser_callback_t, bool, bool);
HPL_TEST_EXTERN template json json::parse(const char*, const char*, parser_callback_t, bool, bool);

}  // namespace nlohmann
