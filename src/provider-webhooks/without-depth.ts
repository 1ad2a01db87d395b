import { phoneNumberIdOf, type RawChange } from '../providers/messaging-app/inbound.ts';

const maxDepth = 64;

/** A change nested too deep would break every later parse: only its number is kept, which marks it as broken. */
export function withoutDepth(change: RawChange): RawChange {
  if (!isDeeper(change.change, maxDepth)) return change;
  const { field } = change.change;
  return {
    ...change,
    change: { field, value: { metadata: { phone_number_id: phoneNumberIdOf(change) }, dropped: 'nested too deep' } },
  };
}

/** Level by level: such a body would overflow the stack of a recursion. */
function isDeeper(value: unknown, maxLevels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxLevels) return true;
    level = level.flatMap((item) => (item !== null && typeof item === 'object' ? Object.values(item) : []));
  }
  return false;
}
