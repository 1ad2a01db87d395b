import { Agent, request } from 'undici';
import type { Behaviour } from '../behaviour.ts';
import type { Faults } from '../faults.ts';

/** The body is made when it is sent, so that it tells the present state and its signature the present time. */
export type Callback = { url: string; build(): { body: Buffer; headers: Record<string, string> } };

const patienceMs = 10_000;

/** Webhooks of the services beside Graph: any address, each repeated by itself until a 2xx. At least once, in any order. */
export class Callbacks {
  readonly #behaviour: () => Behaviour;
  readonly #agent = new Agent({ connections: 16, keepAliveTimeout: 4_000 });
  readonly #timers = new Set<NodeJS.Timeout>();
  #isClosed = false;
  pending = 0;
  delivered = 0;
  givenUp = 0;

  constructor(behaviour: () => Behaviour) {
    this.#behaviour = behaviour;
  }

  schedule(callback: Callback, delayMs = this.#behaviour().delay_ms): void {
    this.pending += 1;
    this.#after(delayMs, () => void this.#attempt(callback, 1, Date.now()));
  }

  /** As `schedule`, with what the faults of the request that caused it say: dropped, doubled, in the wrong order. */
  scheduleFor(callbacks: Callback[], faults: Faults, method: string, path: string): void {
    if (faults.take('drop_webhooks', method, path)) return;
    const isTurned = faults.take('reorder_webhooks', method, path) !== undefined;
    const copies = faults.take('duplicate_webhook', method, path) ? 2 : 1;
    const { delay_ms } = this.#behaviour();
    for (const [position, callback] of (isTurned ? callbacks.toReversed() : callbacks).entries())
      for (let copy = 0; copy < copies; copy += 1) this.schedule(callback, delay_ms * (position + 1));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    await this.#agent.destroy();
  }

  async #attempt(callback: Callback, attempt: number, startedAt: number): Promise<void> {
    const status = await this.#post(callback);
    if (this.#isClosed) return;
    const { retry_first_ms, retry_max_ms, retry_for_ms } = this.#behaviour();
    const isTaken = status !== null && status >= 200 && status < 300;
    if (isTaken || Date.now() - startedAt > retry_for_ms) {
      this.pending -= 1;
      if (isTaken) this.delivered += 1;
      else this.givenUp += 1;
      return;
    }
    const pauseMs = Math.min(retry_first_ms * 2 ** Math.min(attempt - 1, 30), retry_max_ms);
    this.#after(pauseMs, () => void this.#attempt(callback, attempt + 1, startedAt));
  }

  /** null: no answer. */
  async #post({ url, build }: Callback): Promise<number | null> {
    try {
      const { body, headers } = build();
      const response = await request(url, {
        dispatcher: this.#agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        headersTimeout: patienceMs,
        bodyTimeout: patienceMs,
      });
      await response.body.dump();
      return response.statusCode;
    } catch {
      return null;
    }
  }

  #after(delayMs: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, delayMs);
    this.#timers.add(timer);
  }
}
