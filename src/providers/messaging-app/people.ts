import { cut } from '../../platform/cut.ts';
import { type Json, object, textOf } from './json.ts';

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Found by either address; of several the first. */
export type People = { byPhoneId: Map<string, Json>; byUserId: Map<string, Json>; only?: Json };

export function peopleOf(value: Json): People {
  const all = list(value.contacts).map(object);
  const [byPhoneId, byUserId] = [new Map<string, Json>(), new Map<string, Json>()];
  for (const person of all) {
    const [phoneId, userId] = [textOf(person.wa_id), textOf(person.user_id)];
    if (!byPhoneId.has(phoneId)) byPhoneId.set(phoneId, person);
    if (!byUserId.has(userId)) byUserId.set(userId, person);
  }
  return { byPhoneId, byUserId, ...(all.length === 1 && { only: all[0] }) };
}

export const profileOf = (person: Json) => {
  const { name, username } = object(person.profile);
  return { ...shown('name', name), ...shown('username', username) };
};
const longestName = 200;
const shown = (field: 'name' | 'username', value: unknown) =>
  typeof value === 'string' && value ? { [field]: cut(value, longestName) } : {};
