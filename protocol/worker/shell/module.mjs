// One instance of the wasm module: how texts cross its memory.
//
// A buffer belongs to whoever it was handed to (see `module.rs`): what goes in is the module's from then on, what comes
// out of an export is ours to release, and the arguments of an import stay the module's.

const encoder = new TextEncoder();
// Without `ignoreBOM` a text that begins with U+FEFF would lose it on the way.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class Instance {
  #exports;

  /// `seam` answers the imports: (function, text of the arguments) => text of the answer.
  constructor(module, names, seam) {
    const imports = {};
    for (const name of names) {
      imports[name] = (address, length) => this.#give(seam(name, this.#read(address >>> 0, length >>> 0)));
    }
    this.#exports = new WebAssembly.Instance(module, { seam: imports }).exports;
  }

  start(text) {
    this.#exports.start(...this.#hand(text));
  }

  deliver(text) {
    return this.#take(this.#exports.deliver(...this.#hand(text)));
  }

  /// What the panic said that has trapped this instance.
  lastWords() {
    return this.#take(this.#exports.last_words());
  }

  #read(address, length) {
    return decoder.decode(new Uint8Array(this.#exports.memory.buffer, address, length));
  }

  #hand(text) {
    const bytes = encoder.encode(text);
    const address = this.#exports.allocate(bytes.length) >>> 0;
    new Uint8Array(this.#exports.memory.buffer, address, bytes.length).set(bytes);
    return [address, bytes.length];
  }

  #give(text) {
    const [address, length] = this.#hand(text);
    return (BigInt(address) << 32n) | BigInt(length);
  }

  #take(packed) {
    const bits = BigInt.asUintN(64, packed);
    const [address, length] = [Number(bits >> 32n), Number(bits & 0xffff_ffffn)];
    const text = this.#read(address, length);
    this.#exports.release(address, length);
    return text;
  }
}
