import { type Tallied, Tallies } from './tallies.ts';

export interface AcceptedMessage {
  id: string;
  phone_number_id: string;
  to: string;
  type: string;
  callback_data: string | null;
  at: string;
}

/** Every message taken on, so that a test can count how often one of its own arrived. */
export class Accepted {
  #messages: AcceptedMessage[] = [];
  #byCallbackData = new Map<string, AcceptedMessage[]>();
  #tallies = new Tallies();

  add(message: AcceptedMessage, now = performance.now()): void {
    this.#messages.push(message);
    if (message.callback_data !== null) {
      const same = this.#byCallbackData.get(message.callback_data);
      if (same) same.push(message);
      else this.#byCallbackData.set(message.callback_data, [message]);
    }
    this.#tallies.count(message.phone_number_id, now);
  }

  find(callbackData: string | undefined): AcceptedMessage[] {
    return callbackData === undefined ? this.#messages : (this.#byCallbackData.get(callbackData) ?? []);
  }

  tallyOf(phoneNumberId: string): Tallied {
    return this.#tallies.of(phoneNumberId);
  }
}
