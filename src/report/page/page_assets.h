#pragma once

namespace hpl::page {

extern const char* const kPageTemplate;  ///< assets/page.html, with {{name}} where a part goes
extern const char* const kPageStyle;     ///< assets/page.css
extern const char* const kPageScript;    ///< the modules of assets, as one

}  // namespace hpl::page
