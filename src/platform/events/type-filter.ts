import { invalidField } from '../errors.ts';
import { typesMatching } from './listening.ts';

/** `message.*,contact.created`: the types it names, or undefined for all. Throws 422 for one that matches no event. */
export function typesIn(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const patterns = text.split(',').map((pattern) => pattern.trim());
  const unknown = patterns.find((pattern) => typesMatching([pattern]).length === 0);
  if (unknown !== undefined) throw invalidField('type', `${unknown} matches no event type`, 'any.only', 'query');
  return patterns.includes('*') ? undefined : typesMatching(patterns);
}
