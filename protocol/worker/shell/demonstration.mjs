// The Worker of the demonstration protocol: what is deployed for the tests of the real runtime.

import { objectClass } from "./object.mjs";

export { default } from "./front.mjs";
export const Counter = objectClass("counter");
export const Follower = objectClass("follower");
