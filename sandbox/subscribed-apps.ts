import type { Accounts } from './accounts.ts';

export interface AppSubscription {
  override_callback_uri?: string;
}

/** Which business accounts the one app hears of. An account starts with it subscribed unless it says otherwise. */
export class SubscribedApps {
  readonly #accounts: Accounts;
  #byWaba = new Map<string, AppSubscription | null>();

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  of(wabaId: string): AppSubscription | null {
    const known = this.#byWaba.get(wabaId);
    if (known !== undefined) return known;
    const accounts = this.#accounts.ofBusiness(wabaId);
    const first = accounts.every(({ subscribed }) => subscribed !== false) ? {} : null;
    if (accounts.length > 0) this.#byWaba.set(wabaId, first);
    return first;
  }

  set(wabaId: string, subscription: AppSubscription | null): void {
    this.#byWaba.set(wabaId, subscription);
  }

  /** Of a number or an account. A webhook that names neither is a tester's own. */
  hearOf(id: string): boolean {
    return this.of(this.#accounts.ofNumber(id)?.waba_id ?? id) !== null;
  }
}
