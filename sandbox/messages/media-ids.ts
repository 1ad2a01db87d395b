import { GraphError } from '../graph/errors.ts';
import { asFields, type Fields } from './checks.ts';

const kinds = ['image', 'video', 'audio', 'document', 'sticker'];

/** Media named by id anywhere in a message, in the header of a card too, must have been uploaded with the same token. */
export function checkMediaIds(body: Fields, isKnown: (id: string) => boolean): void {
  for (const { param, id } of mediaIn(body)) {
    if (!isKnown(id)) {
      throw new GraphError(100, {
        message: `(#100) Param ${param}['id'] is not a valid whatsapp business account media attachment ID`,
      });
    }
  }
}

function mediaIn(value: unknown): { param: string; id: string }[] {
  if (Array.isArray(value)) return value.flatMap(mediaIn);
  return Object.entries(asFields(value) ?? {}).flatMap(([key, child]) => {
    const id = kinds.includes(key) ? asFields(child)?.id : undefined;
    return typeof id === 'string' ? [{ param: key, id }] : mediaIn(child);
  });
}
