import { isDeepStrictEqual } from 'node:util';
import { slices } from '../../platform/load/slices.ts';
import { faultOfCustom } from '../fields.ts';
import { type Identity, identityKey, ownerIn } from '../identities/identity.ts';
import { maxTagsOfContact } from '../tags.ts';
import type { People, Person } from './people.ts';
import { conflict, nobody, type Standing, Taken, tooManyTags } from './resolve-rows.ts';
import type { StagedRow } from './staging.ts';

export type Folded = {
  /** Of every row, as if the rows were written one by one. */
  standings: Map<number, Standing>;
  /** One for each contact: its rows merged. */
  written: StagedRow[];
};

/** A file of 20,000 rows of one phone is one write a batch. Throws Taken when a row changes a contact not in `held`. */
export async function foldRows(rows: StagedRow[], people: People, held: Set<string>): Promise<Folded> {
  const standings = new Map<number, Standing>();
  const written = new Map<string, StagedRow>();
  const pause = slices();
  for (const row of rows) {
    await pause();
    standings.set(row.n, standingAfter(row, people, held, written));
  }
  return { standings, written: [...written.values()] };
}

function standingAfter(row: StagedRow, people: People, held: Set<string>, written: Map<string, StagedRow>): Standing {
  const owners = ownersOf(row, people);
  if (owners.length > 1) return { kind: 'refused', error: conflict(owners) };
  const [owner] = owners;
  if (owner === undefined) {
    if (row.identities.length === 0) return { kind: 'refused', error: nobody };
    const person = newPerson(row);
    people.byId.set(person.id, person);
    give(person, row.identities, people);
    for (const tag of row.tags) person.tags.add(people.foldedTags.get(tag)!);
    written.set(person.id, ownCopy(row));
    return { kind: 'new' };
  }
  const person = people.byId.get(owner);
  if (!person) throw new Taken();
  const standing = change(person, row, people, written);
  if (standing.kind === 'known' && standing.isChanged && !held.has(owner) && people.known.has(owner)) throw new Taken();
  return standing;
}

const ownCopy = (row: StagedRow): StagedRow => ({
  ...row,
  fields: { ...row.fields },
  tags: [...row.tags],
  identities: [...row.identities],
});

function ownersOf({ id, identities }: StagedRow, { byId, owners }: People): string[] {
  const ownerOf = ownerIn(owners, identities);
  const found = identities.flatMap((identity) => ownerOf(identity) ?? []);
  if (id !== undefined && byId.has(id)) found.push(id);
  return [...new Set(found)].sort();
}

function newPerson({ contactId, fields }: StagedRow): Person {
  const { name = '', phone_number = '', email = '', external_source = '', external_id = '', custom_fields = {} } = fields;
  return {
    id: contactId,
    name,
    phone_number,
    email,
    external_source,
    external_id,
    custom_fields: asStored(custom_fields),
    tags: new Set(),
  };
}

function give(person: Person, identities: Identity[], { owners }: People) {
  for (const identity of identities) owners.set(identityKey(identity), person.id);
}

function change(person: Person, row: StagedRow, people: People, written: Map<string, StagedRow>): Standing {
  const texts = textsOf(row);
  const custom = changedCustom(person, row);
  const merged = { ...person.custom_fields, ...custom };
  const fault = row.fields.custom_fields && faultOfCustom(merged);
  if (fault) return { kind: 'refused', error: { column: 'custom_fields', ...fault } };
  const tags = lackingTags(person, row, people);
  if (tags.size > 0 && person.tags.size + tags.size > maxTagsOfContact) return { kind: 'refused', error: tooManyTags };
  const identities = row.identities.filter((identity) => !people.owners.has(identityKey(identity)));
  const differs = Object.entries(texts).some(([name, text]) => person[name as keyof typeof texts] !== text);
  const isChanged = differs || Object.keys(custom).length > 0 || tags.size > 0 || identities.length > 0;
  if (isChanged) {
    Object.assign(person, texts);
    person.custom_fields = merged;
    for (const folded of tags.keys()) person.tags.add(folded);
    give(person, identities, people);
    const whole = written.get(person.id) ?? { ...row, owner: person.id, fields: {}, tags: [], identities: [] };
    Object.assign(whole.fields, texts, { custom_fields: { ...whole.fields.custom_fields, ...custom } });
    whole.tags.push(...tags.values());
    whole.identities.push(...identities);
    written.set(person.id, whole);
  }
  return { kind: 'known', owner: person.id, isChanged, lacksTags: tags.size > 0, missing: identities.length };
}

/** Empty texts change nothing; `external_id` needs its source. */
function textsOf({ fields: { name, phone_number, email, external_source, external_id } }: StagedRow) {
  return {
    ...(name && { name }),
    ...(phone_number && { phone_number }),
    ...(email && { email }),
    ...(external_id && { external_source, external_id }),
  };
}

/** JSON has no -0. */
const asStored = (fields: Record<string, unknown>): Record<string, unknown> => JSON.parse(JSON.stringify(fields));

function changedCustom({ custom_fields }: Person, { fields }: StagedRow): Record<string, unknown> {
  if (!fields.custom_fields) return {};
  const given = Object.entries(asStored(fields.custom_fields));
  return Object.fromEntries(
    given.filter(([key, value]) => !(Object.hasOwn(custom_fields, key) && isDeepStrictEqual(custom_fields[key], value))),
  );
}

function lackingTags({ tags: own }: Person, { tags }: StagedRow, { foldedTags }: People): Map<string, string> {
  const lacking = new Map<string, string>();
  for (const name of tags) {
    const folded = foldedTags.get(name)!;
    if (!own.has(folded) && !lacking.has(folded)) lacking.set(folded, name);
  }
  return lacking;
}
