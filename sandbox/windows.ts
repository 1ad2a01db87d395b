const windowMs = 24 * 60 * 60 * 1_000;

export interface User {
  wa_id?: string | undefined;
  user_id?: string | undefined;
}

/** When each user last wrote to each number, by phone and by user id. */
export class Windows {
  #seen = new Map<string, { user: User; at: number }>();

  opened(phoneNumberId: string, user: User, at: number): void {
    for (const name of [user.wa_id, user.user_id]) {
      if (name === undefined) continue;
      const last = this.#seen.get(keyOf(phoneNumberId, name))?.at ?? 0;
      this.#seen.set(keyOf(phoneNumberId, name), { user, at: Math.max(last, at) });
    }
  }

  isOpen(phoneNumberId: string, name: string, now = Date.now()): boolean {
    const seen = this.#seen.get(keyOf(phoneNumberId, name));
    return seen !== undefined && now - seen.at < windowMs;
  }

  userOf(phoneNumberId: string, name: string): User | undefined {
    return this.#seen.get(keyOf(phoneNumberId, name))?.user;
  }
}

function keyOf(phoneNumberId: string, name: string): string {
  return `${phoneNumberId}:${name}`;
}
