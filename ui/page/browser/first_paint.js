// What a page runs before anything of it is painted.

import "./projector.js";
import "./style.js";
import "./arriving.js";
import "./nothing_drawn.js";
