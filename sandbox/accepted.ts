import { Fifo } from './fifo.ts';

export interface AcceptedMessage {
  id: string;
  phone_number_id: string;
  to: string;
  type: string;
  callback_data: string | null;
  at: string;
}

interface Tally {
  accepted: number;
  maxInOneSecond: number;
  lastSecond: Fifo<number>;
}

/** Every message taken on, so that a test can count how often one of its own arrived. */
export class Accepted {
  #messages: AcceptedMessage[] = [];
  #byCallbackData = new Map<string, AcceptedMessage[]>();
  #tallies = new Map<string, Tally>();

  add(message: AcceptedMessage, now = performance.now()): void {
    this.#messages.push(message);
    if (message.callback_data !== null) {
      const same = this.#byCallbackData.get(message.callback_data);
      if (same) same.push(message);
      else this.#byCallbackData.set(message.callback_data, [message]);
    }
    this.#count(message.phone_number_id, now);
  }

  find(callbackData: string | undefined): AcceptedMessage[] {
    return callbackData === undefined ? this.#messages : (this.#byCallbackData.get(callbackData) ?? []);
  }

  tallyOf(phoneNumberId: string): { accepted: number; max_in_one_second: number } {
    const tally = this.#tallies.get(phoneNumberId);
    return { accepted: tally?.accepted ?? 0, max_in_one_second: tally?.maxInOneSecond ?? 0 };
  }

  /** The largest count of any second that ends in an accept is the largest of any second at all. */
  #count(phoneNumberId: string, now: number): void {
    const tally = this.#tallies.get(phoneNumberId) ?? { accepted: 0, maxInOneSecond: 0, lastSecond: new Fifo<number>() };
    this.#tallies.set(phoneNumberId, tally);
    tally.accepted += 1;
    tally.lastSecond.push(now);
    while ((tally.lastSecond.peek() ?? now) <= now - 1_000) tally.lastSecond.shift();
    tally.maxInOneSecond = Math.max(tally.maxInOneSecond, tally.lastSecond.size);
  }
}
