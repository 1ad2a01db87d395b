import { contactsNamed } from '../../contacts/identities/named.ts';
import { maxChanged } from '../../imports/batch.ts';
import type { ImportRequest } from '../../imports/import.entity.ts';
import type { Own } from '../../platform/database/own.ts';
import { lockOfOther } from '../links.ts';
import { recordLock } from '../record-row.ts';
import type { ObjectType } from '../types/definition.ts';
import { type IndexedValue, indexedText, rowsOf } from '../types/indexed-values.ts';
import { type Entry, type GivenLink, isBad, type Named, type ReadRecord } from './row.ts';

/** Unique values as the index has them, and whose they are. */
export type Uniques = {
  /** The same for values that the index takes for one. */
  keyOf(value: IndexedValue): string;
  owners: Map<string, string>;
};

/** SQL: the unique index, by the column of each value's type; texts are folded by the database. */
const holders = `
  select x.n::int, ${indexedText('x.text')} as text,
         coalesce(
           (select v.record_id
              from record_values v
             where v.organization_id = $1 and v.field_id = x.field_id and v.is_unique
               and v.text_value = ${indexedText('x.text')}),
           (select v.record_id
              from record_values v
             where v.organization_id = $1 and v.field_id = x.field_id and v.is_unique and v.number_value = x.number),
           (select v.record_id
              from record_values v
             where v.organization_id = $1 and v.field_id = x.field_id and v.is_unique and v.time_value = x.time)) as id
    from unnest($2::uuid[], $3::text[], $4::numeric[], $5::timestamptz[]) with ordinality as x(field_id, text, number, time, n)`;

const spelled = ({ field_id, text, number, time }: IndexedValue) => `${field_id} ${text ?? number ?? time}`;

async function lookUpUniques(own: Own, values: IndexedValue[]): Promise<Uniques> {
  const asked = [...new Map(values.map((value) => [spelled(value), value])).values()];
  const folded = new Map<string, string>();
  const owners = new Map<string, string>();
  const rows =
    asked.length === 0
      ? []
      : await own.sql<{ n: number; text: string | null; id: string | null }>(holders, [
          asked.map(({ field_id }) => field_id),
          asked.map(({ text }) => text ?? null),
          asked.map(({ number }) => number ?? null),
          asked.map(({ time }) => time ?? null),
        ]);
  for (const { n, text, id } of rows) {
    const value = asked[n - 1]!;
    const key = text === null ? spelled(value) : `${value.field_id} ${text}`;
    folded.set(spelled(value), key);
    if (id !== null) owners.set(key, id);
  }
  return { keyOf: (value) => folded.get(spelled(value))!, owners };
}

/** Those a row gives to fields that are unique. */
export const uniqueValuesOf = (type: ObjectType, { checked: { values } }: ReadRecord): { name: string; value: IndexedValue }[] =>
  type.fields
    .filter(({ isUnique, name }) => isUnique && Object.hasOwn(values, name))
    .map((field) => ({ name: field.name, value: rowsOf(field, values[field.name])[0]! }));

export function keyValueOf(type: ObjectType, { key }: ImportRequest, row: ReadRecord): IndexedValue | undefined {
  return uniqueValuesOf(type, row).find(({ name }) => name === key)?.value;
}

/** What the rows name. */
export type Looked = {
  uniques: Uniques;
  /** Undefined: there is none. */
  otherOf(named: Named): string | undefined;
};

export async function lookUp(own: Own, type: ObjectType, rows: ReadRecord[]): Promise<Looked> {
  const links = rows.flatMap((row) => row.links.map(({ named }) => named));
  const uniques = await lookUpUniques(own, [
    ...rows.flatMap((row) => uniqueValuesOf(type, row).map(({ value }) => value)),
    ...links.flatMap((named) => ('unique' in named ? [named.unique] : [])),
  ]);
  const contactOf = await contactsNamed(
    own,
    links.flatMap((named) => ('identity' in named ? [named.identity] : [])),
  );
  return {
    uniques,
    otherOf(named) {
      if ('id' in named) return named.id;
      return 'identity' in named ? contactOf(named.identity) : uniques.owners.get(uniques.keyOf(named.unique));
    },
  };
}

/** Records that the row may be about: as it names them, or none. */
export function namedRecords(type: ObjectType, request: ImportRequest, { uniques }: Looked, row: ReadRecord): string[] {
  const ids = request.mode === 'upsert' && row.id !== undefined ? [row.id] : [];
  const key = keyValueOf(type, request, row);
  const owner = key && uniques.owners.get(uniques.keyOf(key));
  return owner === undefined ? ids : [...ids, owner];
}

const locksOfLink = ({ otherOf }: Looked, { relation, named }: GivenLink): string[] => {
  const otherId = otherOf(named);
  return otherId === undefined ? [] : lockOfOther({ relation, otherId });
};

/** The first rows that change no more than a batch may, and the locks of all that they may change. */
export type Seen = { looked: Looked; taken: number; rows: ReadRecord[]; locks: string[] };

export async function lookAtRows(own: Own, type: ObjectType, request: ImportRequest, entries: Entry[]): Promise<Seen> {
  const all = entries.flatMap((entry) => (isBad(entry) ? [] : [entry]));
  const looked = await lookUp(own, type, all);
  const locks = new Set<string>();
  const rows: ReadRecord[] = [];
  let taken = entries.length;
  for (const [index, entry] of entries.entries()) {
    if (isBad(entry)) continue;
    const more = [
      ...namedRecords(type, request, looked, entry).map(recordLock),
      ...entry.links.flatMap((link) => locksOfLink(looked, link)),
    ].filter((lock) => !locks.has(lock));
    if (locks.size > 0 && locks.size + more.length > maxChanged) {
      taken = index;
      break;
    }
    for (const lock of more) locks.add(lock);
    rows.push(entry);
  }
  return { looked, taken, rows, locks: [...locks] };
}
