import { Agent } from 'undici';
import type { Behaviour } from '../behaviour.ts';
import { Fifo } from '../fifo.ts';
import { encode, sign } from './encode.ts';
import { post } from './post.ts';

const maxInFlight = 64;

interface Target {
  webhook_url: string | null;
  app_secret: string;
}

interface Delivery {
  phoneNumberId: string;
  body: Buffer;
  attempts: number;
  firstTriedAt: number;
}

/**
 * Delivers at least once, in any order. A webhook that is not answered by 200 is repeated later. An unreachable receiver stops
 * the whole queue, and a single webhook probes for its return.
 */
export class WebhookQueue {
  readonly #target: Target;
  readonly #behaviour: () => Behaviour;
  readonly #isHeard: (id: string) => boolean;
  readonly #agent = new Agent({ connections: maxInFlight, keepAliveTimeout: 4_000 });
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #pending = new Map<string, number>();
  readonly #ready = new Fifo<Delivery>();
  #inFlight = 0;
  #failuresInRow = 0;
  #isHeld = false;
  #isClosed = false;
  delivered = 0;
  givenUp = 0;

  /** `isHeard`: whether an app is subscribed to the account of a number, or to an account. */
  constructor(target: Target, behaviour: () => Behaviour, isHeard: (id: string) => boolean) {
    this.#target = target;
    this.#behaviour = behaviour;
    this.#isHeard = isHeard;
  }

  /** The body is built when the time has come, so that its timestamp is true. */
  schedule(phoneNumberId: string, delayMs: number, build: () => unknown): void {
    this.#addPending(phoneNumberId, 1);
    this.#after(delayMs, () => this.#enqueue(phoneNumberId, encode(build())));
  }

  push(phoneNumberId: string, body: Buffer): void {
    this.#addPending(phoneNumberId, 1);
    this.#enqueue(phoneNumberId, body);
  }

  /** One attempt outside the queue, without a second one. */
  async sendOnce(body: Buffer, signature: string | undefined): Promise<number | null> {
    if (this.#target.webhook_url === null) return null;
    return post(this.#agent, this.#target.webhook_url, body, signature);
  }

  /** Scheduled, waiting and in flight. */
  pendingOf(phoneNumberId: string): number {
    return this.#pending.get(phoneNumberId) ?? 0;
  }

  pendingTotal(): number {
    return [...this.#pending.values()].reduce((sum, count) => sum + count, 0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    await this.#agent.destroy();
  }

  #enqueue(phoneNumberId: string, body: Buffer): void {
    // Dropped, as the provider does: it keeps nothing for an app that may come later.
    if (!this.#isHeard(phoneNumberId)) {
      this.#addPending(phoneNumberId, -1);
      return;
    }
    this.#ready.push({ phoneNumberId, body, attempts: 0, firstTriedAt: 0 });
    this.#pump();
  }

  #pump(): void {
    while (!this.#isClosed && !this.#isHeld && this.#inFlight < (this.#failuresInRow > 0 ? 1 : maxInFlight)) {
      const delivery = this.#ready.shift();
      if (!delivery) return;
      void this.#attempt(delivery);
    }
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { webhook_url: url, app_secret: secret } = this.#target;
    if (url === null) return this.#finish(delivery, false);
    this.#inFlight += 1;
    delivery.attempts += 1;
    delivery.firstTriedAt ||= Date.now();
    const status = await post(this.#agent, url, delivery.body, sign(secret, delivery.body));
    this.#inFlight -= 1;
    if (this.#isClosed) return;
    if (status === null) this.#hold();
    else this.#failuresInRow = 0;
    if (status === 200) this.#finish(delivery, true);
    else if (Date.now() - delivery.firstTriedAt > this.#behaviour().retry_for_ms) this.#finish(delivery, false);
    else if (status === null) this.#ready.push(delivery);
    else {
      this.#after(this.#backOff(delivery.attempts), () => {
        this.#ready.push(delivery);
        this.#pump();
      });
    }
    this.#pump();
  }

  /** Counts once for all the attempts that fail together when a receiver goes away. */
  #hold(): void {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.#failuresInRow += 1;
    this.#after(this.#backOff(this.#failuresInRow), () => {
      this.#isHeld = false;
      this.#pump();
    });
  }

  #backOff(attempts: number): number {
    const { retry_first_ms, retry_max_ms } = this.#behaviour();
    return Math.min(retry_first_ms * 2 ** Math.min(attempts - 1, 30), retry_max_ms);
  }

  #finish(delivery: Delivery, isDelivered: boolean): void {
    if (isDelivered) this.delivered += 1;
    else this.givenUp += 1;
    this.#addPending(delivery.phoneNumberId, -1);
  }

  #addPending(phoneNumberId: string, change: number): void {
    this.#pending.set(phoneNumberId, this.pendingOf(phoneNumberId) + change);
  }

  #after(delayMs: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      run();
    }, delayMs);
    this.#timers.add(timer);
  }
}
