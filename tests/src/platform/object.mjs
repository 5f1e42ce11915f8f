// Runs scripts (see `script.rs`) on the real runtime: in the front Worker, and in its one class of objects.
//
// A script travels in a header, and so does what was said: reading a body is an await of its own.

import { DurableObject } from "cloudflare:workers";

const encode = (value) => encodeURIComponent(JSON.stringify(value));
const decode = (text) => JSON.parse(decodeURIComponent(text));
const pause = (length) => new Promise((done) => setTimeout(done, length));

function failure(error) {
  return {
    message: String(error?.message ?? error),
    remote: !!error?.remote,
    retryable: !!error?.retryable,
    overloaded: !!error?.overloaded,
    reset: !!error?.durableObjectReset,
  };
}

function toValue(value) {
  if (value instanceof ArrayBuffer) return { bytes: new Uint8Array(value).toHex() };
  if (typeof value !== "number") return value;
  return Number.isFinite(value) && !Object.is(value, -0) ? value : { number: Object.is(value, -0) ? "-0" : `${value}` };
}

function fromValue(value) {
  if (value === null || typeof value !== "object") return value;
  return "bytes" in value ? Uint8Array.fromHex(value.bytes) : Number(value.number);
}

const fromParam = (param) => ("long" in param ? "x".repeat(param.long) : fromValue(param.is));

class Task {
  said = [];
  #calls = new Map();
  #looked;
  #transaction;
  #party;

  constructor(party, { request, retryCount } = {}) {
    this.#party = party;
    this.request = request;
    this.retryCount = retryCount;
  }

  get #storage() {
    return this.#party.ctx.storage;
  }

  // A promise of its own only where a deed waits: everything else happens at once.
  async run(script) {
    for (const deed of script) {
      const wait = this.#perform(deed);
      if (wait) await wait;
    }
  }

  #runAtOnce(script) {
    for (const deed of script) {
      if (this.#perform(deed)) throw new Error("a synchronous transaction cannot wait");
    }
  }

  #perform(deed) {
    const [name, argument] = typeof deed === "string" ? [deed] : Object.entries(deed)[0];
    return this[name](argument);
  }

  #say(what) {
    this.said.push(what);
  }

  #exec(sql, params) {
    const cursor = this.#storage.sql.exec(sql, ...params);
    const rows = [...cursor.raw()].map((row) => row.map(toValue));
    return cursor.columnNames.length > 0 ? rows : null;
  }

  #texts(table) {
    try {
      return this.#exec(`SELECT v FROM ${table}`, []).map(([text]) => text);
    } catch {
      return [];
    }
  }

  #insert(table, text) {
    this.#exec(`CREATE TABLE IF NOT EXISTS ${table} (id INTEGER PRIMARY KEY, v TEXT)`, []);
    this.#exec(`INSERT INTO ${table} (v) VALUES (?)`, [text]);
  }

  #stub({ object, serial }) {
    const stubs = this.#party.stubs ?? (this.stubs ??= new Map());
    const key = `${object}#${serial}`;
    const { OBJECT } = this.#party.env;
    if (!stubs.has(key)) stubs.set(key, OBJECT.get(OBJECT.idFromName(object)));
    return stubs.get(key);
  }

  #fetch(stub, script, signal) {
    const headers = { "x-script": encode(script) };
    const answer = this.#stub(stub).fetch("http://object/", { method: "POST", headers, body: "12345", signal });
    return answer.then(
      (response) => ({ answered: decode(response.headers.get("x-said")) }),
      (error) => ({ failed: failure(error) }),
    );
  }

  script() {
    const scripts = JSON.parse(this.#texts("scripts").at(-1) ?? "[[]]");
    const runs = this.#texts("runs").length;
    this.#insert("runs", "");
    return scripts[Math.min(Math.max(runs, this.retryCount), scripts.length - 1)];
  }

  say(text) {
    this.#say({ text });
  }
  keep(text) {
    this.#party.kept.push(text);
  }
  recall() {
    this.say(this.#party.kept.join(" ") || "nothing");
  }
  name() {
    this.say((this.#party.ctx.id.name ?? "nothing").split("|").at(-1));
  }
  clock() {
    const now = Date.now();
    if (this.#looked !== undefined) this.say(now === this.#looked ? "still" : "moved");
    this.#looked = now;
  }
  work(length) {
    for (const end = performance.now() + length; performance.now() < end; );
  }

  write(text) {
    this.#insert("t", text);
  }
  store() {
    for (const { text } of this.said.splice(0)) if (text !== undefined) this.write(text);
  }
  read() {
    this.say(this.#texts("t").join(" ") || "nothing");
  }
  sql({ sql, length, params }) {
    try {
      const rows = this.#exec(sql.padEnd(length), params.map(fromParam));
      if (rows) this.#say({ rows });
    } catch (error) {
      this.#say({ refused: [null, { message: error.message }] });
    }
  }
  transact([batch, end]) {
    const back = new Error("back");
    let at = 0;
    try {
      this.#storage.transactionSync(() => {
        for (const { sql, params } of batch) {
          this.#exec(sql, params.map(fromValue));
          at += 1;
        }
        if (end === "rollback") throw back;
      });
    } catch (error) {
      if (error !== back) this.#say({ refused: [at, { message: error.message }] });
    }
  }
  "transact-script"(script) {
    try {
      this.#storage.transactionSync(() => this.#runAtOnce(script));
    } catch (error) {
      this.#say({ failed: failure(error) });
    }
  }

  "set-alarm"(length) {
    this.#storage.setAlarm(Date.now() + length);
  }
  "delete-alarm"() {
    this.#storage.deleteAlarm();
  }
  async "get-alarm"() {
    this.say((await this.#storage.getAlarm()) === null ? "none" : "set");
  }
  "on-alarm"(scripts) {
    this.#insert("scripts", JSON.stringify(scripts));
  }
  "retry-count"() {
    this.say(`${this.retryCount}`);
  }

  sleep(length) {
    return pause(length);
  }
  digest() {
    return crypto.subtle.digest("SHA-256", new Uint8Array(8));
  }
  await(what) {
    switch (what) {
      case "microtask":
        return Promise.resolve(null);
      case "storage-get":
        return this.#storage.get("key");
      case "storage-put":
        return this.#storage.put("key", "value");
      case "storage-sync":
        return this.#storage.sync();
      case "storage-delete-all":
        return this.#storage.deleteAll();
      case "body":
        return this.request.text();
    }
  }
  call([label, stub, script]) {
    this.#calls.set(label, this.#fetch(stub, script));
  }
  async answer(label) {
    this.#say(await this.#calls.get(label));
  }
  async join(labels) {
    for (const label of labels) await this.#calls.get(label);
  }
  async ask([stub, script]) {
    this.#say(await this.#fetch(stub, script));
  }
  "go-away"([stub, script]) {
    const leaving = new AbortController();
    this.#fetch(stub, script, leaving.signal);
    // Once the request has been delivered.
    pause(50).then(() => leaving.abort());
  }

  throw({ message, retryable, overloaded }) {
    const error = new Error(message);
    if (retryable) error.retryable = true;
    if (overloaded) error.overloaded = true;
    throw error;
  }
  catch(script) {
    return this.run(script).catch((error) => this.#say({ failed: failure(error) }));
  }
  abort(why) {
    this.#party.ctx.abort(why);
  }
  block(script) {
    return this.#party.ctx.blockConcurrencyWhile(() => this.run(script));
  }
  transaction(script) {
    return this.#storage.transaction((transaction) => {
      this.#transaction = transaction;
      return this.run(script);
    });
  }
  "roll-back"() {
    this.#transaction.rollback();
  }
  lock() {
    const party = this.#party;
    if (party.queue) return new Promise((taken) => party.queue.push(taken));
    party.queue = [];
  }
  unlock() {
    const next = this.#party.queue.shift();
    if (next) next();
    else this.#party.queue = null;
  }
}

export class Scripted extends DurableObject {
  kept = [];
  // Those who wait for the gate, while somebody holds it.
  queue = null;
  stubs = new Map();

  async fetch(request) {
    const task = new Task(this, { request });
    await task.run(decode(request.headers.get("x-script")));
    return new Response(null, { headers: { "x-said": encode(task.said) } });
  }

  async alarm({ retryCount }) {
    const task = new Task(this, { retryCount });
    await task.run(task.script());
  }
}

export default {
  async fetch(request, env) {
    const task = new Task({ env, kept: [] });
    try {
      await task.run(await request.json());
    } catch (error) {
      task.said.push({ failed: failure(error) });
    }
    return Response.json(task.said);
  },
};
