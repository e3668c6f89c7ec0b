#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "hpl/base/choice/choice.h"
#include "hpl/base/text/text_value.h"

namespace hpl {

/// The values that a member of a record may have. Readers check them, the schema states them. A
/// limit of an array or an optional is that of its elements.
struct Limits {
  std::optional<double> minimum{}, above{}, maximum{};
  /// A number must be finite. Otherwise null stands for one that is not, and is read as NaN.
  bool finite = false;
  /// Earlier documents of the same version lack the member, which then keeps its default.
  bool added = false;
  /// Documents that people write may lack the member; the schema does not require it.
  bool may_lack = false;
  std::optional<std::size_t> least_elements{}, most_elements{};  ///< of an array
};

inline constexpr Limits kCount{.minimum = 0}, kNotZero{.minimum = 1};
inline constexpr Limits kNotNegative{.minimum = 0, .finite = true};
inline constexpr Limits kPositive{.above = 0, .finite = true};
inline constexpr Limits kAddedLater{.added = true};
constexpr Limits may_lack(Limits limits) {
  limits.may_lack = true;
  return limits;
}
constexpr Limits limits_of(const IntegerRange& range) {
  return {.minimum = static_cast<double>(range.least), .maximum = static_cast<double>(range.most)};
}

/// The table of a string that is one of these words.
template <class... Words>
constexpr auto one_of(Words... words) {
  return std::array<Choice<std::string_view>, sizeof...(Words)>{{{words, words}...}};
}

/// A value that documents hold as text. No text: null.
template <class T>
struct TextForm {
  std::string (*text)(const T&);
  std::optional<T> (*value)(std::string_view);  ///< empty: the text is none of these
  std::string_view allowed;                     ///< "a time as ISO 8601 writes it"
  std::string_view pattern = {};                ///< regular expression of the schema
};

/// A form, unlike the text of a meaning that may stand in its place.
template <class Form>
concept MemberForm = !std::convertible_to<Form, std::string_view>;

/// Version and kind of a document, at the begin of its description.
struct DocumentForm {
  std::string_view title, description;
  int version = 1;
  std::string_view kind = {};  ///< the member "kind"; empty: the document has none
};

/// The shapes of members that Record tells apart.
namespace member_forms {

template <class T>
struct Kind {
  static constexpr bool optional = false, list = false, named = false;
  using Innermost = T;
};
template <class T>
struct Kind<std::optional<T>> {
  static constexpr bool optional = true, list = false, named = false;
  using Innermost = typename Kind<T>::Innermost;
};
template <class T>
struct Kind<std::vector<T>> {
  static constexpr bool optional = false, list = true, named = false;
  using Innermost = typename Kind<T>::Innermost;
};
template <class T>
struct Kind<std::vector<std::pair<std::string, T>>> {
  static constexpr bool optional = false, list = false, named = true;
  using Innermost = typename Kind<T>::Innermost;
};
template <class T, std::size_t Count>
struct Kind<std::array<T, Count>> {
  static constexpr bool optional = false, list = true, named = false;
  using Innermost = typename Kind<T>::Innermost;
  static constexpr std::size_t count = Count;
};
/// A form that makes, reads and describes JSON of its own.
template <class Form>
constexpr bool kOwnForm = requires(const Form& form) {
  form.schema();
};
template <class T>
constexpr bool kText = std::convertible_to<T, std::string_view>;
template <class T>
constexpr bool kFixed = requires {
  Kind<T>::count;
};
template <class T>
constexpr bool kEnumeration = std::is_enum_v<typename Kind<T>::Innermost>;

}  // namespace member_forms

}  // namespace hpl
