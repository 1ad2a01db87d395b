type Json = Record<string, unknown>;
type Address = { phoneId?: string; userId?: string };

export type IdentityChange = { reason: 'number_changed' | 'user_id_changed'; old: Address; new: Address };
export type InboundIdentityChange = { kind: 'identity_change'; phoneNumberId?: string; change: IdentityChange };

const object = (value: unknown): Json => (value !== null && typeof value === 'object' ? (value as Json) : {});
const phoneOf = (value: unknown) => (typeof value === 'string' && /^\d{5,20}$/.test(value) ? { phoneId: value } : {});
const userOf = (value: unknown) => (typeof value === 'string' && value !== '' && value.length <= 512 ? { userId: value } : {});

export function changeIn({ from, system }: Json): IdentityChange | undefined {
  const { type, wa_id, user_id, previous_user_id } = object(system);
  const users = { old: userOf(previous_user_id), new: userOf(user_id) };
  if (type === 'user_changed_number')
    return changed('number_changed', { ...phoneOf(from), ...users.old }, { ...phoneOf(wa_id), ...users.new });
  return type === 'user_changed_user_id' ? changed('user_id_changed', users.old, users.new) : undefined;
}

/** Reads the first `max` items. The provider spells the two ids in two ways. */
export function changesIn(value: Json, max = Number.POSITIVE_INFINITY): IdentityChange[] {
  const items = [value.user_id_update, value.user_id_updates].flat().slice(0, max).map(object);
  return [value, ...items].flatMap(({ user_id, previous_user_id }) => {
    const both = object(user_id);
    const change = changed('user_id_changed', userOf(previous_user_id ?? both.previous), userOf(both.current ?? user_id));
    return change ?? [];
  });
}

function changed(reason: IdentityChange['reason'], old: Address, next: Address): IdentityChange | undefined {
  const isSaid = (name: keyof Address) => old[name] && next[name] && old[name] !== next[name];
  return isSaid(reason === 'number_changed' ? 'phoneId' : 'userId') ? { reason, old, new: next } : undefined;
}
