// What scripts are given, for `make types` alone: names by their host, a run by its document, methods by
// files that a class takes over.

import schema from "../document/schema.json" with { type: "json" };
import { Gestures } from "./act/gestures.js";
import { Reporting } from "./act/reporting.js";
import { Addressed } from "./act/url_state.js";
import { Arranging } from "./draw/arranging.js";
import { Drawing } from "./draw/drawing.js";
import { Faces } from "./draw/focus.js";
import { Sizes } from "./draw/sizes.js";
import { Projected } from "./present/projected.js";

type Told = { [name in keyof typeof schema.$defs.document.properties]: any };
type OfStage = typeof Addressed & typeof Arranging & typeof Drawing & typeof Faces & typeof Gestures &
  typeof Projected & typeof Reporting & typeof Sizes;

declare global {
  const TEXTS: any, STYLE: string, MEANINGS: any, NAME: string, CHAPTERS: any, BESIDE: any, ADDRESS: string;
  // What is found by a selector is an HTML element.
  interface Element { style: any; dataset: any; offsetHeight: number; tabIndex: number; click(): void; picture: any }
  interface EventTarget { closest?: any }
  interface Node { data: any }
  interface DocumentEventMap { "stage-points": CustomEvent; "stage-shown": CustomEvent }
}

declare module "./run/run.js" {
  interface Run extends Told {}
}

declare module "./stage.js" {
  interface Stage extends OfStage {}
}
