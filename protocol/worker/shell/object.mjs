// The Durable Object classes: one for each namespace, all of one make. The namespace's name is also the name under
// which the Worker binds it.

import { DurableObject } from "cloudflare:workers";
import module from "./protocol.wasm";
import { conformance } from "./conformance.mjs";
import { Incarnation, bound, scope } from "./seam.mjs";
import { fromRequest, toResponse } from "./wire.mjs";

export function objectClass(namespace) {
  return class extends DurableObject {
    #conformance;
    #who;
    #incarnation = null;
    // An object's timers and calls keep it alive by themselves.
    #scope = scope(() => {});

    constructor(ctx, env) {
      super(ctx, env);
      this.#conformance = conformance(env);
      this.#who = this.#conformance?.who(namespace, ctx.id);
    }

    async fetch(request) {
      if (this.#conformance && new URL(request.url).pathname === "/__record") {
        return this.#conformance.record(this.#who);
      }
      const asked = await fromRequest(request);
      return toResponse(await this.#alive().begin(this.#scope, { request: asked }));
    }

    async alarm(info) {
      const { scheduledTime = Date.now(), retryCount = 0, isRetry = false } = info ?? {};
      const alarm = { scheduled: Number(scheduledTime), retry_count: retryCount, is_retry: isRetry };
      await this.#alive().begin(this.#scope, { alarm });
    }

    #alive() {
      this.#incarnation ??= new Incarnation(module, {
        who: this.#who,
        env: this.env,
        conformance: this.#conformance,
        start: { program: this.env.PROGRAM, variant: this.env.VARIANT ?? "", part: { object: namespace } },
        end: (message) => this.ctx.abort(message),
        name: this.ctx.id.name ?? null,
        id: this.ctx.id.toString(),
        idOf: (name) => bound(this.env, namespace).idFromName(name).toString(),
        storage: this.ctx.storage,
        abort: (why) => this.ctx.abort(why),
      });
      return this.#incarnation;
    }
  };
}

