#pragma once

namespace hpl::page {

extern const char* const kPageTemplate;  ///< page.html, with {{name}} where a part goes
extern const char* const kPageStyle;     ///< page.css
extern const char* const kPageScript;    ///< the modules of all subjects, as one

}  // namespace hpl::page
