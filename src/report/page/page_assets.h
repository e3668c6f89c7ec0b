#pragma once

namespace hpl::page {

extern const char* const kPageStyle;   ///< assets/page.css
extern const char* const kPageScript;  ///< assets/page.js

}  // namespace hpl::page
