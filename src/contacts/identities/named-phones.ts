import type Joi from 'joi';
import type { Own } from '../../platform/database/own.ts';
import type { BadRow } from '../../platform/imports/progress.ts';
import { type PhoneContext, phoneCandidate } from './phone.ts';

/** Plans of countries change, and the provider goes on naming people by numbers of older ones: such a number is compared with what is stored. */
async function namedAmong(own: Own, texts: string[]): Promise<PhoneContext | undefined> {
  const candidates = [...new Set(texts.flatMap((text) => phoneCandidate(text) ?? []))];
  if (candidates.length === 0) return undefined;
  // SQL: a set.
  const rows = await own.sql<{ value: string }>(
    `select value
       from contact_identities
      where organization_id = $1 and type = 'phone' and source = '' and value = any($2::text[])`,
    [candidates],
  );
  return rows.length === 0 ? undefined : { namedPhones: new Set(rows.map(({ value }) => value)) };
}

/** Of a phone, and of a phone or an id. */
const refusals = ['phone.possible', 'phone.format'];

/** With what a refused body is validated once more; undefined: no number in it is a stored person's. */
export const phoneContext = (own: Own, { details }: Joi.ValidationError): Promise<PhoneContext | undefined> =>
  namedAmong(
    own,
    details.flatMap(({ type, context }) =>
      refusals.includes(type) && typeof context?.value === 'string' ? [context.value] : [],
    ),
  );

/** A row of a file that was refused for its phone. `again` reads it with what is stored. */
export type RefusedPhone<Entry> = BadRow & { phone?: string; again?(context: PhoneContext): Entry };

/** The entries, those with a stored person's number read again. */
export async function rereadNamed<Entry extends object>(own: Own, entries: Entry[]): Promise<Entry[]> {
  const phoneOf = (entry: Entry) => (entry as Partial<RefusedPhone<Entry>>).phone ?? [];
  const context = await namedAmong(own, entries.flatMap(phoneOf));
  return context === undefined
    ? entries
    : entries.map((entry) => (entry as Partial<RefusedPhone<Entry>>).again?.(context) ?? entry);
}
