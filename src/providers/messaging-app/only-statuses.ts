import type { RawChange } from './inbound.ts';
import { object } from './json.ts';

const has = (items: unknown) => Array.isArray(items) && items.length > 0;

/** What the provider tells of our own messages, and nothing that a person did. */
export function hasOnlyStatuses({ change }: RawChange): boolean {
  const value = object(change.value);
  return change.field === 'messages' && has(value.statuses) && !has(value.messages);
}
