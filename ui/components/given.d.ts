// What classes take over from other files, for `make types` alone.

import { Edges } from "./graph/edges.js";
import { Gestures as GraphGestures } from "./graph/gestures.js";
import { Picture } from "./graph/picture.js";
import { Counts } from "./trees/counts.js";
import { Gestures as TreeGestures } from "./trees/gestures.js";

type OfGraph = typeof Edges & typeof GraphGestures & typeof Picture;
type OfTrees = typeof Counts & typeof TreeGestures;

declare module "./graph/graph.js" {
  interface Graph extends OfGraph {}
}

declare module "./trees/trees.js" {
  interface Trees extends OfTrees {}
}
