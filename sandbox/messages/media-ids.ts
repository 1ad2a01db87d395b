import { GraphError } from '../graph/errors.ts';
import { canBeSentAs } from '../media-types.ts';
import { asFields, type Fields } from './checks.ts';

const kinds = ['image', 'video', 'audio', 'document', 'sticker'];

/** Media named by id anywhere in a message, in the header of a card too, must have been uploaded with the same token, as a file of that kind. */
export function checkMediaIds(body: Fields, typeOf: (id: string) => string | undefined): void {
  for (const { param, id } of mediaIn(body)) {
    const type = typeOf(id);
    if (type === undefined) {
      throw new GraphError(100, {
        message: `(#100) Param ${param}['id'] is not a valid whatsapp business account media attachment ID`,
      });
    }
    if (!canBeSentAs(param, type)) throw new GraphError(131053, { details: `A file of type ${type} cannot be sent as ${param}` });
  }
}

function mediaIn(value: unknown): { param: string; id: string }[] {
  if (Array.isArray(value)) return value.flatMap(mediaIn);
  return Object.entries(asFields(value) ?? {}).flatMap(([key, child]) => {
    const id = kinds.includes(key) ? asFields(child)?.id : undefined;
    return typeof id === 'string' ? [{ param: key, id }] : mediaIn(child);
  });
}
