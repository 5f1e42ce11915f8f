// The front Worker: one instance of the module for each isolate, which all its requests share.

import module from "./protocol.wasm";
import { conformance } from "./conformance.mjs";
import { Incarnation, scope } from "./seam.mjs";
import { fromRequest, toResponse } from "./wire.mjs";

let isolate = null;

function alive(env) {
  isolate ??= new Incarnation(module, {
    who: "front",
    env,
    conformance: conformance(env),
    start: { program: env.PROGRAM, variant: env.VARIANT ?? "", part: "front" },
    // The next request finds another instance.
    end: () => void (isolate = null),
  });
  return isolate;
}

/// In a test, what the program cannot be asked: `/__record`, everybody's; `/__id/NAMESPACE/NAME`, of an object;
/// `/__object/NAMESPACE/NAME/PATH`, straight to it.
function aside(request, env) {
  const url = new URL(request.url);
  const [, place, namespace, name, ...path] = url.pathname.split("/");
  if (!["__record", "__id", "__object"].includes(place)) return undefined;
  if (place === "__record") return conformance(env).record();
  const id = env[namespace].idFromName(decodeURIComponent(name));
  if (place === "__id") return new Response(id.toString());
  return env[namespace].get(id).fetch(new Request(`https://object/${path.join("/")}${url.search}`, request));
}

export default {
  async fetch(request, env, ctx) {
    const answered = conformance(env) && aside(request, env);
    if (answered) return answered;
    const asked = await fromRequest(request);
    const held = scope((promise) => ctx.waitUntil(promise));
    const front = alive(env);
    // The listener goes when the request is answered: by then its task's number may be another's.
    const answer = new AbortController();
    const watch = (task, begun) =>
      request.signal?.addEventListener("abort", () => front.cancel(held, task, begun), { signal: answer.signal });
    try {
      return toResponse(await front.begin(held, { request: asked }, watch));
    } finally {
      answer.abort();
    }
  },
};
