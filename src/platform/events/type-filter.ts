import { invalidField } from '../errors.ts';
import { eventTypes } from './catalogue.ts';

const all = '*';

/** `message.*,contact.created`: the types it names, or undefined for all. Throws 422 for one that matches no event. */
export function typesIn(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined;
  const patterns = text.split(',').map((pattern) => pattern.trim());
  const types = patterns.flatMap((pattern) => {
    const found = eventTypes.filter((type) => matches(pattern, type));
    if (found.length === 0) throw invalidField('type', `${pattern} matches no event type`, 'any.only', 'query');
    return found;
  });
  return patterns.includes(all) ? undefined : [...new Set(types)];
}

const matches = (pattern: string, type: string) =>
  pattern === all || pattern === type || (pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1)));
