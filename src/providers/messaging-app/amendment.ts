import { type Json, object, textOf } from './json.ts';

/** A message that was sent before is edited or deleted by who wrote it. `words`: what it says now; none: it was deleted. */
export type Amendment = { originalId: string; words?: Words };
export type Words = { body?: string; caption?: string };

export const amendingTypes = ['edit', 'revoke'];

/** Undefined: it is no amendment, or not one we understand; the message is then kept as it came. */
export function amendmentIn(message: Json): Amendment | undefined {
  const { type } = message;
  if (type !== 'edit' && type !== 'revoke') return undefined;
  const amendment = object(message[type]);
  const originalId = textOf(amendment.original_message_id);
  if (!originalId) return undefined;
  if (type === 'revoke') return { originalId };
  const edited = object(amendment.message);
  const words = wordsOf(object(edited[textOf(edited.type)]));
  return words && { originalId, words };
}

/** Only a text and the words under a file can be edited. */
function wordsOf({ body, caption }: Json): Words | undefined {
  if (typeof body === 'string') return { body };
  return typeof caption === 'string' ? { caption } : undefined;
}
