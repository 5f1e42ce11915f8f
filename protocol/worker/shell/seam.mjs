// One incarnation: an instance of the module, and the functions of the seam as this runtime has them.
//
// What is begun in a turn ends as a later event. Two things tell an object from a front Worker: its `home` has storage,
// and all its turns share one scope, where a front Worker has one for each request, since the runtime lets nothing that
// was opened for one request (a stub, a timer) be used for another.

import { Instance } from "./module.mjs";
import { sendWith } from "./conformance.mjs";
import * as shared from "./shared.mjs";
import { callError, fromHex, fromResponse, params, row, thrown, toHex, toRequest } from "./wire.mjs";

/// What turns may use until the incarnation, or the request, is over. `hold` keeps the runtime from dropping what is
/// under way when the handler that began it has returned.
export const scope = (hold) => ({ stubs: new Map(), hold });

/// The serial of a stub for one call, which is not kept.
const ONCE = 2 ** 32 - 1;

/// The objects of a namespace.
export function bound(env, namespace) {
  const objects = env[namespace];
  if (objects === undefined) throw new Error(`no namespace is bound as ${namespace}`);
  return objects;
}

export class Incarnation {
  #home;
  #functions;
  #instance;
  #log;
  #turn = null;
  #waiting = new Map();
  #over = false;

  /// home: { who, env, conformance, start, end(message) }, and for an object
  /// { name, id, idOf(name), storage, abort(why) } besides.
  constructor(module, home) {
    this.#home = home;
    this.#log = home.conformance?.life(home.who);
    this.#functions = { ...this.#platform(), ...(home.storage ? this.#object() : {}) };
    const names = WebAssembly.Module.imports(module).map(({ name }) => name);
    this.#instance = new Instance(module, names, (name, args) => this.#cross(name, args));
    this.#guarded(() => this.#instance.start(JSON.stringify(home.start)));
  }

  /// Begins a task; a promise of its outcome, which rejects with what it throws. `onStart` learns its number.
  async begin(scope, entry, onStart = () => {}) {
    const task = Promise.withResolvers();
    await this.#deliver(scope, { begin: entry }, { ...task, onStart });
    return task.promise;
  }

  /// Ends a task whose client has gone. Whoever asks says which of the tasks that have had this number it means.
  cancel(scope, task, begun) {
    if (this.#waiting.get(task) !== begun) return undefined;
    this.#waiting.delete(task);
    return this.#deliver(scope, { cancel: { task } });
  }

  async #deliver(scope, event, begun) {
    // The seam asks for the alarm within a turn, and the runtime answers after an await. This one lets nothing in.
    const alarm = await this.#home.storage?.getAlarm();
    if (this.#over) return begun?.reject(new Error("this incarnation has ended"));
    this.#turn = { scope, begun, alarm, now: Date.now() };
    const text = JSON.stringify(event);
    this.#log?.event(this.#turn.now, text);
    this.#log?.returned(this.#guarded(() => this.#instance.deliver(text)));
    this.#turn = null;
  }

  /// A panic, or an error of the shell in mid-turn, leaves the instance's memory in any state: nothing of it goes on.
  #guarded(run) {
    try {
      return run();
    } catch (error) {
      this.#over = true;
      const words = error instanceof WebAssembly.RuntimeError ? this.#instance?.lastWords() : "";
      const message = words || String(error?.message ?? error);
      this.#log?.trapped(message);
      for (const { reject } of this.#waiting.values()) reject(new Error(message));
      this.#turn?.begun?.reject(new Error(message));
      this.#home.end(message);
      throw new Error(message);
    }
  }

  #cross(name, args) {
    const answered = this.#log?.cross(name, args);
    const run = this.#functions[name];
    if (run === undefined) throw new Error(`the seam has no ${name} here`);
    const answer = JSON.stringify(run(JSON.parse(args)) ?? null);
    answered?.(answer);
    return answer;
  }

  /// Sees to it that the end of what was begun is delivered.
  #end(call, ending, answer) {
    const { scope } = this.#turn;
    const outcome = ending.then(
      (value) => ({ Ok: answer(value) }),
      (error) => ({ Err: error?.given ?? callError(error) }),
    );
    scope.hold(outcome.then((outcome) => this.#deliver(scope, { answer: { call, outcome } })).catch(() => {}));
  }

  #platform() {
    const { who, env, conformance } = this.#home;
    return {
      now: () => this.#turn.now,
      entropy: ({ bytes }) =>
        conformance?.entropy(who, bytes) ?? toHex(crypto.getRandomValues(new Uint8Array(bytes))),
      work: () => {}, // the work itself takes the time
      effect: ({ effect }) => this.#effect(effect),
      call: ({ call, label, stub, request }) =>
        this.#end(call, this.#send(label, stub, request), (response) => ({ response })),
      get: ({ call, ...entry }) => this.#end(call, shared.get(entry, env, conformance), (entry) => ({ entry })),
      put: ({ call, ...entry }) => this.#end(call, shared.put(entry, env, conformance), () => "done"),
      sleep: ({ call, delay }) => this.#end(call, scheduler.wait(delay), () => "done"),
      started: ({ task, cause }) => {
        if (cause !== "event") return;
        this.#waiting.set(task, this.#turn.begun);
        this.#turn.begun.onStart(task, this.#turn.begun);
      },
      running: () => {}, // for stories, which nobody tells here
      finished: ({ task, outcome }) => {
        const waiting = this.#waiting.get(task);
        this.#waiting.delete(task);
        if ("Err" in outcome) waiting?.reject(thrown(outcome.Err));
        else waiting?.resolve(outcome.Ok);
      },
      note: () => {}, // for records; nobody here reads them
    };
  }

  #object() {
    const { name, id, idOf, storage, abort } = this.#home;
    return {
      name: () => name,
      id: () => id,
      id_of: ({ name }) => idOf(name),
      sql: ({ statement }) => attempt(() => exec(storage, statement)),
      transaction: ({ batch, end }) => transaction(storage, batch, end),
      digest: ({ call, bytes }) =>
        this.#end(call, crypto.subtle.digest("SHA-256", fromHex(bytes)), (digest) => ({
          digest: toHex(new Uint8Array(digest)),
        })),
      alarm: () => this.#turn.alarm,
      set_alarm: ({ at }) => {
        this.#turn.alarm = at;
        // The runtime refuses 0; both mean at once. It fails only with the whole commit, which resets the object.
        (at === null ? storage.deleteAlarm() : storage.setAlarm(Math.max(at, 1))).catch(() => {});
      },
      abort: ({ why }) => {
        this.#over = true;
        abort(why); // no code of this object goes on after it
      },
    };
  }

  /// The promise of a response. Calls leave in the order in which they are made here.
  #send(label, stub, request) {
    const { who, conformance } = this.#home;
    const fault = conformance?.fault(who, label);
    const { scope } = this.#turn;
    const send = () => this.#stub(scope, stub).fetch(toRequest(request)).then(fromResponse);
    try {
      return fault === undefined ? send() : sendWith(fault, send);
    } catch (error) {
      return Promise.reject(error); // a request that cannot be made, such as a GET with a body
    }
  }

  #stub(scope, { namespace, name, serial }) {
    const key = `${namespace} ${serial} ${name}`;
    let stub = scope.stubs.get(key);
    if (stub === undefined) {
      const objects = bound(this.#home.env, namespace);
      stub = objects.get(objects.idFromName(name));
      if (serial !== ONCE) scope.stubs.set(key, stub);
    }
    return stub;
  }

  /// Whoever acts on the outside world is bound as EFFECTS.
  #effect({ kind, detail }) {
    const { scope } = this.#turn;
    const sent = this.#home.env.EFFECTS?.fetch(`https://effect/${encodeURIComponent(kind)}`, {
      method: "POST",
      body: detail,
    });
    if (sent !== undefined) scope.hold(sent.then((response) => response.body?.cancel()).catch(() => {}));
  }
}

function exec(storage, { sql, params: given }) {
  const cursor = storage.sql.exec(sql, ...params(given));
  return { columns: cursor.columnNames, rows: Array.from(cursor.raw(), row) };
}

function attempt(run) {
  try {
    return { Ok: run() };
  } catch (error) {
    return { Err: { message: String(error?.message ?? error) } };
  }
}

function transaction(storage, batch, end) {
  const undo = new Error("the batch is taken back");
  let answer = { Ok: [] };
  try {
    storage.transactionSync(() => {
      for (const [at, statement] of batch.entries()) {
        const { Ok, Err } = attempt(() => exec(storage, statement));
        if (Err !== undefined) {
          answer = { Err: { at, error: Err } };
          throw undo;
        }
        answer.Ok.push(Ok);
      }
      if (end === "rollback") throw undo;
    });
  } catch (error) {
    if (error !== undo) throw error;
  }
  return answer;
}
