// What a test asks of the shell: a record of all that crosses, faults round calls, known entropy. All of it hangs on the
// binding `CONFORMANCE` (`conformance.rs` says what is in it); without that, `conformance(env)` is null.
//
// State is kept per isolate, which outlives every incarnation, as a record must: locally all objects share one.

import { fromHex, toHex } from "./wire.mjs";

class Conformance {
  #lines = [];
  #lives = new Map();
  #names = new Map();
  #uses = new Map();
  #faults = new Map();
  #entropy = new Map();

  constructor({ faults = [], entropy = {} }) {
    for (const fault of faults) this.#faults.set(`${fault.from} ${fault.label} ${fault.nth}`, fault);
    for (const [who, bytes] of Object.entries(entropy)) this.#entropy.set(who, fromHex(bytes));
  }

  /// Who an object is. An instance that an alarm woke may not know; an earlier one did.
  who(namespace, id) {
    const key = `${namespace} ${id}`;
    if (id.name !== undefined) this.#names.set(key, id.name);
    return `${namespace}/${this.#names.get(key) ?? "?"}`;
  }

  /// The lines of one incarnation.
  life(who) {
    const life = (this.#lives.get(who) ?? 0) + 1;
    this.#lives.set(who, life);
    const line = (what) => {
      this.#lines.push([who, `{"who":${JSON.stringify(who)},"life":${life},"what":${what}}\n`]);
      return this.#lines.length - 1;
    };
    return {
      event: (now, event) => line(`{"event":{"now":${now},"event":${event}}}`),
      // Written before the answer is known, as an abort never returns.
      cross: (name, args) => {
        const text = (answer) => `{"cross":{"function":"${name}","args":${args},"answer":${answer}}}`;
        const at = line(text("null"));
        return (answer) => {
          this.#lines[at][1] = `{"who":${JSON.stringify(who)},"life":${life},"what":${text(answer)}}\n`;
        };
      },
      returned: (answer) => line(`{"returned":${answer}}`),
      trapped: (message) => line(`{"trapped":{"message":${JSON.stringify(message)}}}`),
    };
  }

  record(who) {
    const lines = who === undefined ? this.#lines : this.#lines.filter(([whose]) => whose === who);
    return new Response(lines.map(([, text]) => text).join(""), { headers: { "content-type": "application/jsonl" } });
  }

  /// What is to happen to the next call of this caller at this place.
  fault(who, label) {
    const place = `${who} ${label}`;
    const nth = this.#uses.get(place) ?? 0;
    this.#uses.set(place, nth + 1);
    return this.#faults.get(`${place} ${nth}`);
  }

  /// The next bytes of this one's list, or undefined where it has none.
  entropy(who, count) {
    const left = this.#entropy.get(who);
    if (left === undefined) return undefined;
    if (left.length < count) throw new Error(`the list of entropy for ${who} is at its end`);
    this.#entropy.set(who, left.subarray(count));
    return toHex(left.subarray(0, count));
  }
}

let shared;

export function conformance(env) {
  if (env.CONFORMANCE === undefined) return null;
  shared ??= new Conformance(JSON.parse(env.CONFORMANCE));
  return shared;
}

/// Sends a request with what a fault does to it.
export async function sendWith(fault, send) {
  const late = async (delay) => delay > 0 && (await scheduler.wait(delay));
  await late(fault.delay ?? 0);
  if (fault.lost) {
    await late(fault.answer_delay ?? 0);
    throw { given: fault.lost };
  }
  try {
    const answer = await send();
    if (fault.answer_lost) throw { given: fault.answer_lost };
    return answer;
  } finally {
    await late(fault.answer_delay ?? 0);
  }
}
