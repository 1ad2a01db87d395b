import type { User } from './windows.ts';

/** The users each number blocks, oldest block first. A user is found by phone and by user id. */
export class Blocks {
  #users = new Map<string, Set<User>>();
  #byName = new Map<string, User>();

  of(phoneNumberId: string): User[] {
    return [...(this.#users.get(phoneNumberId) ?? [])];
  }

  count(phoneNumberId: string): number {
    return this.#users.get(phoneNumberId)?.size ?? 0;
  }

  has(phoneNumberId: string, user: User): boolean {
    return this.#find(phoneNumberId, user) !== undefined;
  }

  add(phoneNumberId: string, user: User): void {
    if (this.has(phoneNumberId, user)) return;
    this.#users.set(phoneNumberId, (this.#users.get(phoneNumberId) ?? new Set()).add(user));
    for (const name of namesOf(user)) this.#byName.set(`${phoneNumberId}:${name}`, user);
  }

  delete(phoneNumberId: string, user: User): void {
    const known = this.#find(phoneNumberId, user);
    if (!known) return;
    this.#users.get(phoneNumberId)?.delete(known);
    for (const name of namesOf(known)) this.#byName.delete(`${phoneNumberId}:${name}`);
  }

  #find(phoneNumberId: string, user: User): User | undefined {
    return namesOf(user)
      .map((name) => this.#byName.get(`${phoneNumberId}:${name}`))
      .find((known) => known !== undefined);
  }
}

const namesOf = ({ wa_id, user_id }: User) => [wa_id, user_id].filter((name) => name !== undefined);
