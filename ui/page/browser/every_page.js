// What acts on a whole page, on every page.

import "./printing.js";
import "./history.js";
import "./focus.js";
import "./in_sight.js";
import "./pop_over_theme.js";
import "./lesson_links.js";
import "./glossary.js";

export default () => {};
