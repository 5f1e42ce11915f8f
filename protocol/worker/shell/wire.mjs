// How the runtime's values look as JSON on the seam (`abi.rs` is the one that says so).

const hexadecimal = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

export const toHex = hexadecimal;
export const fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));

/// A value of SQLite, as `exec` answers it.
function fromSql(value) {
  if (typeof value === "number") {
    // What JSON cannot hold, or would change.
    return Number.isFinite(value) && !Object.is(value, -0) ? value : { number: Object.is(value, -0) ? "-0" : String(value) };
  }
  return value instanceof ArrayBuffer ? { bytes: hexadecimal(new Uint8Array(value)) } : value;
}

/// A parameter, as `exec` takes it.
function toSql(value) {
  if (value === null || typeof value !== "object") return value;
  return "bytes" in value ? fromHex(value.bytes).buffer : Number(value.number);
}

export const params = (values) => values.map(toSql);
export const row = (values) => Array.from(values, fromSql);

/// An error, as its caller saw it.
export function callError(error) {
  return {
    message: String(error?.message ?? error),
    remote: error?.remote === true,
    retryable: error?.retryable === true,
    overloaded: error?.overloaded === true,
    reset: error?.durableObjectReset === true,
  };
}

/// What a task has thrown, to be thrown on by the runtime, which adds its own flags. These two pass through it.
export function thrown({ message, retryable, overloaded }) {
  const error = new Error(message);
  if (retryable) error.retryable = true;
  if (overloaded) error.overloaded = true;
  return error;
}

const encoder = new TextEncoder();

// As bytes: to a text the runtime would add a content-type of its own.
const bytes = (body) => (body === "" ? undefined : encoder.encode(body));

/// The host of a call between objects; nobody reads it.
const ORIGIN = "https://object";

export const toRequest = ({ method, path, headers, body }) =>
  new Request(ORIGIN + path, { method, headers, body: bytes(body), redirect: "manual" });

export const toResponse = ({ status, headers, body }) => new Response(bytes(body) ?? null, { status, headers });

/// What says how this one message is cut into bytes belongs to the runtime, and would be wrong, or twice there, on a
/// message that a program makes out of it.
const FRAMING = new Set(["connection", "content-length", "transfer-encoding"]);

const fields = (headers) => [...headers].filter(([name]) => !FRAMING.has(name));

// `text()` would take a leading U+FEFF off.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const read = async (message) => decoder.decode(await message.arrayBuffer());

/// Reading a body is a suspension, also of a short one.
export async function fromRequest(request) {
  const url = new URL(request.url);
  const body = await read(request);
  return { method: request.method, path: url.pathname + url.search, headers: fields(request.headers), body };
}

export async function fromResponse(response) {
  const body = await read(response);
  return { status: response.status, headers: fields(response.headers), body };
}
