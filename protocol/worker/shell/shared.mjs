// The services that all objects and front Workers share: KV, one data centre's cache, the deployment's variables.

const CACHE = "https://cache/";

// A test has no KV service: this map, which lasts as long as the isolate, stands in for it.
const standIn = new Map();

function kv(env, conformance) {
  if (env.KV !== undefined) return env.KV;
  if (!conformance) throw new Error("no KV namespace is bound as KV");
  return { get: async (key) => standIn.get(key) ?? null, put: async (key, value) => void standIn.set(key, value) };
}

// Nor has it a cache: this map stands in for it, and answers a moment after the others, as in the runs that tests compare.
const nearby = new Map();

async function cached(key) {
  await scheduler.wait(1);
  return nearby.get(key) ?? null;
}

// Nor has it a broker: who reads a topic waits here for what is written to it next.
const readers = new Map();

function next(topic, conformance) {
  if (!conformance) throw new Error("no broker is bound");
  return new Promise((told) => readers.set(topic, [...(readers.get(topic) ?? []), told]));
}

function publish(topic, message, conformance) {
  if (!conformance) throw new Error("no broker is bound");
  const told = readers.get(topic) ?? [];
  readers.delete(topic);
  for (const tell of told) tell(message);
}

/// Reads a key; null where it holds nothing.
export async function get({ store, key }, env, conformance) {
  switch (store) {
    case "kv":
      return kv(env, conformance).get(key);
    case "edge_cache": {
      if (conformance) return cached(key);
      const hit = await caches.default.match(CACHE + encodeURIComponent(key));
      return hit === undefined ? null : await hit.text();
    }
    case "configuration":
      return env.CONFIGURATION?.[key] ?? null;
    case "broker":
      return next(key, conformance);
  }
}

/// Writes a key, to be kept for `keep` milliseconds at most.
export async function put({ store, key, value, keep }, env, conformance) {
  // Both services count seconds; a length is never made shorter than it was asked for.
  const seconds = keep === null ? undefined : Math.ceil(keep / 1000);
  switch (store) {
    case "kv":
      // KV takes no less than a minute.
      return kv(env, conformance).put(key, value, seconds && { expirationTtl: Math.max(60, seconds) });
    case "edge_cache": {
      if (conformance) return void nearby.set(key, value);
      const headers = seconds === undefined ? {} : { "cache-control": `max-age=${seconds}` };
      return caches.default.put(CACHE + encodeURIComponent(key), new Response(value, { headers }));
    }
    case "configuration":
      throw new Error("a Worker cannot change its own variables");
    case "broker":
      return publish(key, value, conformance);
  }
}
