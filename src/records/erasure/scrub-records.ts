import { isDeepStrictEqual } from 'node:util';
import type { Identity } from '../../contacts/identities/identity.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { CrmRecord } from '../record.entity.ts';
import { recordLock } from '../record-row.ts';
import type { ObjectType } from '../types/definition.ts';
import { displayNameOf, indexedText, searchTextOf, writeIndexed } from '../types/indexed-values.ts';
import { loadType } from '../types/object-type.ts';
import type { FieldType, ObjectType as ObjectTypeEntity } from '../types/type.entity.ts';
import type { Values } from '../types/values.ts';
import { type Clean, isNothingLeft } from './clean.ts';

/** SQL: the indexed fields of an organization times the addresses, each a look-up in the typed index. */
const holders = `
  select distinct v.record_id as id
    from object_fields f
   cross join unnest($2::text[]) as a(text)
    join record_values v
      on v.organization_id = f.organization_id and v.field_id = f.id and v.text_value = ${indexedText('a.text')}
   where f.organization_id = $1
     and f.index_state is not null
     and f.type in ('text', 'email', 'phone', 'url')`;

/**
 * SQL: what is in the bin has no index of values. `holds`: an address stands in its text, or its digits in the text's, since people write a
 * number in many ways.
 */
const inBin = `
  select k.id, k.deleted_at, w.text like any($4::text[]) or w.digits like any($5::text[]) as holds
    from (select id, deleted_at, fields, custom_fields, metadata
            from records
           where organization_id = $1
             and deleted_at is not null
             and (deleted_at, id) > ($2::timestamptz, $3::uuid)
           order by deleted_at, id
           limit 500) k,
 lateral (select casefold(concat(k.fields, k.custom_fields, k.metadata) collate pg_unicode_fast) as text,
                 regexp_replace(concat(k.fields, k.custom_fields, k.metadata), '\\D', '', 'g') as digits) w
   order by k.deleted_at, k.id`;

const within = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
const minDigits = 6;

export const addressesOf = (identities: Identity[]): string[] =>
  identities.filter(({ type }) => type !== 'external_id').map(({ value }) => value);

/** For `like`: of the folded text of a JSON value, and of its digits. */
export const patternsOf = (addresses: string[]) => ({
  texts: addresses.map((address) => within(JSON.stringify(address.toLowerCase()).slice(1, -1))),
  digits: addresses
    .map((address) => address.replace(/\D/g, ''))
    .filter(({ length }) => length >= minDigits)
    .map(within),
});

/** Of the records that have one of the addresses as a value, or lie in the bin with it. */
export async function recordsToScrub(own: Own, addresses: string[]): Promise<string[]> {
  const found = new Set((await own.sql<{ id: string }>(holders, [addresses])).map(({ id }) => id));
  const { texts, digits } = patternsOf(addresses);
  let after = { deleted_at: '-infinity', id: '00000000-0000-0000-0000-000000000000' };
  for (;;) {
    const rows = await own.sql<typeof after & { holds: boolean }>(inBin, [after.deleted_at, after.id, texts, digits]);
    for (const { id, holds } of rows) if (holds) found.add(id);
    if (rows.length < 500) return [...found];
    after = rows.at(-1)!;
  }
}

/** Its other types have no words of a person. */
const worded: readonly FieldType[] = ['text', 'long_text', 'email', 'phone', 'url', 'json'];
/** A part of these is no value of theirs. */
const whole: readonly FieldType[] = ['email', 'phone', 'url'];

/** SQL: by its id alone; in the bin too. */
const byId = `
  select t.kind, k.type_id, k.fields, k.custom_fields, k.metadata, k.deleted_at
    from records k
    join object_types t on t.organization_id = k.organization_id and t.id = k.type_id
   where k.organization_id = $1
     and k.id = $2
     for update of k`;
type Stored = RowOf<typeof CrmRecord, 'type_id' | 'fields' | 'custom_fields' | 'metadata' | 'deleted_at'> &
  RowOf<typeof ObjectTypeEntity, 'kind'>;

/** One transaction a record. It is no change of the record: no revision and no event, and its history is scrubbed alike. */
export async function scrubRecords(transact: TenantTransact, ids: string[], clean: Clean): Promise<void> {
  for (const id of ids) await transact({ locks: [recordLock(id)] }, ({ own }) => scrubRecord(own, id, clean));
}

async function scrubRecord(tx: OwnTx, id: string, clean: Clean): Promise<void> {
  const [record] = await tx.sql<Stored>(byId, [id]);
  const type = record && (await loadType(tx, record.kind));
  if (!record || type?.id !== record.type_id) return;
  const fields = withoutTraces(type, record.fields, clean);
  const custom = clean(record.custom_fields);
  const metadata = clean(record.metadata);
  if (isDeepStrictEqual([fields, custom, metadata], [record.fields, record.custom_fields, record.metadata])) return;
  await tx.sql(
    `update records
        set fields = $3, custom_fields = $4, metadata = $5, display_name = $6, search_text = $7
      where organization_id = $1 and id = $2`,
    [id, fields, custom, metadata, displayNameOf(type, fields), searchTextOf(type, fields)],
  );
  if (record.deleted_at === null) await writeIndexed(tx, type, id, record.fields, fields);
}

function withoutTraces(type: ObjectType, fields: Values, clean: Clean): Values {
  const types = new Map(type.fields.map((field) => [field.name, field.type]));
  const unique = new Set(type.fields.filter(({ isUnique }) => isUnique).map(({ name }) => name));
  const kept = Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    // A field whose values are being dropped is read like a text.
    const kind = types.get(name) ?? 'json';
    if (!worded.includes(kind)) return [[name, value]];
    const scrubbed = clean(value);
    // What is left of a unique value is what is left of another one, too.
    const isWhole = whole.includes(kind) || unique.has(name);
    const isGone = isNothingLeft(scrubbed) || (isWhole && scrubbed !== value);
    return isGone ? [] : [[name, scrubbed]];
  });
  return Object.fromEntries(kept);
}
