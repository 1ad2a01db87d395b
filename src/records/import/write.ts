import { writeHistories } from '../../history/history.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { tableOf } from '../display-names.ts';
import { dropHidden } from '../hidden-links.ts';
import { isSingle } from '../links.ts';
import type { RecordTx } from '../record-tx.ts';
import type { ObjectType } from '../types/definition.ts';
import { displayNameOf, type IndexedValue, indexChanges, indexedText, searchTextOf } from '../types/indexed-values.ts';
import type { Folded } from './fold.ts';
import type { NewLink } from './links.ts';
import { historyOf, type State } from './state.ts';

/* SQL: one statement a table for all records of a batch (bench: crm import). */

const content = 'x(id, revision, display_name, search_text, fields, custom_fields, metadata)';
const unnested = `unnest($2::uuid[], $3::int[], $4::text[], $5::text[], $6::jsonb[], $7::jsonb[], $8::jsonb[]) as ${content}`;

const insertRecords = `
  insert into records (organization_id, id, type_id, revision, display_name, search_text, fields, custom_fields, metadata)
  select $1, x.id, $9, x.revision, x.display_name, x.search_text, x.fields, x.custom_fields, x.metadata
    from ${unnested}`;

const updateRecords = `
  update records k
     set revision = x.revision, display_name = x.display_name, search_text = x.search_text, fields = x.fields,
         custom_fields = x.custom_fields, metadata = x.metadata, updated_at = clock_timestamp()
    from ${unnested}
   where k.organization_id = $1
     and k.type_id = $9
     and k.id = x.id`;

/** Of the other ends of links, which say what they said. */
const raiseRecords = `
  update records k
     set revision = x.revision, updated_at = clock_timestamp()
    from unnest($2::uuid[], $3::int[]) as x(id, revision)
   where k.organization_id = $1
     and k.id = x.id`;

const removeValues = `
  delete from record_values v
   using unnest($2::uuid[], $3::uuid[], $4::int[]) as x(record_id, field_id, ordinal)
   where v.organization_id = $1
     and v.record_id = x.record_id
     and v.field_id = x.field_id
     and v.ordinal = x.ordinal`;

const writeValues = `
  insert into record_values (organization_id, record_id, field_id, ordinal, text_value, number_value, time_value, is_unique)
  select $1, x.record_id, x.field_id, x.ordinal, ${indexedText('x.text')}, x.number, x.time, x.is_unique
    from unnest($2::uuid[], $3::uuid[], $4::int[], $5::text[], $6::numeric[], $7::timestamptz[], $8::boolean[])
         as x(record_id, field_id, ordinal, text, number, time, is_unique)
  on conflict (organization_id, record_id, field_id, ordinal)
  do update set text_value = excluded.text_value, number_value = excluded.number_value,
                time_value = excluded.time_value, is_unique = excluded.is_unique`;

const insertLinks = (column: string) => `
  insert into record_links (organization_id, id, relation_id, record_id, ${column}, is_single_from, is_single_to)
  select $1, uuidv7(), x.relation_id, x.record_id, x.object_id, x.is_single_from, x.is_single_to
    from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::boolean[], $6::boolean[])
         as x(relation_id, record_id, object_id, is_single_from, is_single_to)`;

const noteSources = `
  insert into record_enrichments as e (organization_id, record_id, source, fields)
  select $1, x.id, $2, array(select jsonb_array_elements_text(x.fields))
    from unnest($3::uuid[], $4::jsonb[]) as x(id, fields)
  on conflict (organization_id, record_id, source)
  do update set fields = array(select distinct f from unnest(e.fields || excluded.fields) f order by f),
                at = clock_timestamp()`;

type Ready = { state: State; entries: ReturnType<typeof historyOf> };

/** Writes what the rows have changed: records with their index, links and history. Needs all that they name to be held. */
export async function writeFolded(
  tx: OwnTx,
  type: ObjectType,
  { states, links }: Folded,
  { actor, source }: { actor: string; source: string | null },
): Promise<void> {
  for (const { relation, link } of links.dropped)
    await dropHidden(Object.assign(Object.create(tx), { actor }) as RecordTx, relation, link);
  const changed = states.map((state) => ({ state, entries: historyOf(state) })).filter(({ entries }) => entries.length > 0);
  await writeRecords(
    tx,
    type,
    insertRecords,
    changed.filter(({ state }) => state.isNew),
  );
  const known = changed.filter(({ state }) => !state.isNew);
  const isOther = ({ state }: Ready) => state.before === state.after;
  await writeRecords(
    tx,
    type,
    updateRecords,
    known.filter((one) => !isOther(one)),
  );
  await raise(tx, known.filter(isOther));
  await writeIndex(tx, type, changed);
  await writeLinks(tx, links.made);
  await writeHistories(
    tx,
    { kind: 'record', actor },
    changed.flatMap(({ state, entries }) =>
      entries.map((changes, index) => ({ object_id: state.id, revision: state.revision + index + 1, changes })),
    ),
  );
  if (source !== null) await noteSource(tx, source, states);
}

const revisionOf = ({ state, entries }: Ready) => state.revision + entries.length;

async function writeRecords(tx: OwnTx, type: ObjectType, statement: string, ready: Ready[]): Promise<void> {
  if (ready.length === 0) return;
  const contents = ready.map(({ state }) => state.after);
  await tx.sql(statement, [
    ready.map(({ state }) => state.id),
    ready.map(revisionOf),
    contents.map(({ fields }) => displayNameOf(type, fields)),
    contents.map(({ fields }) => searchTextOf(type, fields)),
    contents.map(({ fields }) => JSON.stringify(fields)),
    contents.map(({ custom_fields }) => JSON.stringify(custom_fields)),
    contents.map(({ metadata }) => JSON.stringify(metadata)),
    type.id,
  ]);
}

async function raise(tx: OwnTx, ready: Ready[]): Promise<void> {
  if (ready.length > 0) await tx.sql(raiseRecords, [ready.map(({ state }) => state.id), ready.map(revisionOf)]);
}

async function writeIndex(tx: OwnTx, type: ObjectType, ready: Ready[]): Promise<void> {
  const removed: [string, IndexedValue][] = [];
  const written: [string, IndexedValue][] = [];
  for (const { state } of ready) {
    if (state.before === state.after) continue;
    const changes = indexChanges(type, state.isNew ? undefined : state.before.fields, state.after.fields);
    for (const row of changes.removed) removed.push([state.id, row]);
    for (const row of changes.written) written.push([state.id, row]);
  }
  const keys = (rows: [string, IndexedValue][]) => [
    rows.map(([id]) => id),
    rows.map(([, { field_id }]) => field_id),
    rows.map(([, { ordinal }]) => ordinal),
  ];
  if (removed.length > 0) await tx.sql(removeValues, keys(removed));
  if (written.length === 0) return;
  await tx.sql(writeValues, [
    ...keys(written),
    written.map(([, { text }]) => text ?? null),
    written.map(([, { number }]) => number ?? null),
    written.map(([, { time }]) => time ?? null),
    written.map(([, { is_unique }]) => is_unique),
  ]);
}

async function writeLinks(tx: OwnTx, links: NewLink[]): Promise<void> {
  const columns = Map.groupBy(links, ({ relation }) => tableOf(relation.isInverse ? '' : relation.kind).linkColumn);
  for (const [column, made] of columns)
    await tx.sql(insertLinks(column), [
      made.map(({ relation }) => relation.id),
      made.map(({ from }) => from),
      made.map(({ to }) => to),
      made.map(({ relation }) => isSingle(relation).isSingleFrom),
      made.map(({ relation }) => isSingle(relation).isSingleTo),
    ]);
}

async function noteSource(tx: OwnTx, source: string, states: State[]): Promise<void> {
  const named = states.filter(({ named: { size } }) => size > 0);
  if (named.length === 0) return;
  await tx.sql(noteSources, [source, named.map(({ id }) => id), named.map((state) => JSON.stringify([...state.named].sort()))]);
}
