import type { Accounts } from './accounts.ts';

export interface NumberState {
  isRegistered: boolean;
  isVerified: boolean;
  /** The six digits of the two-step verification; the first registration sets them. */
  pin: string | null;
  isCodeSent: boolean;
  /** PEM; of the encrypted endpoint of flows. */
  publicKey: string | null;
  settings: Record<string, unknown>;
  profile: Record<string, unknown>;
  quality_rating: string;
  messaging_limit_tier: string;
  /** Null: what its messages a second make of it. */
  throughput: string | null;
  name_status: string;
}

/** What the owner of a number may change about it. An account starts with its number verified, and registered unless it says otherwise. */
export class Numbers {
  readonly #accounts: Accounts;
  #byId = new Map<string, NumberState>();
  /** By token: the error with which every call is refused. */
  readonly refusals = new Map<string, number>();

  constructor(accounts: Accounts) {
    this.#accounts = accounts;
  }

  of(phoneNumberId: string): NumberState {
    const known = this.#byId.get(phoneNumberId);
    if (known) return known;
    const fresh: NumberState = {
      isRegistered: this.#accounts.ofNumber(phoneNumberId)?.registered !== false,
      isVerified: true,
      pin: null,
      isCodeSent: false,
      publicKey: null,
      settings: { storage_configuration: { status: 'DEFAULT' } },
      profile: {},
      quality_rating: 'GREEN',
      messaging_limit_tier: 'TIER_UNLIMITED',
      throughput: null,
      name_status: 'APPROVED',
    };
    this.#byId.set(phoneNumberId, fresh);
    return fresh;
  }
}
