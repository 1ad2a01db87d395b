import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { CrmHistory, type HistoryChanges, type HistoryKind } from './history.entity.ts';

const columns = ['revision', 'event_id', 'actor', 'changes', 'created_at'] as const;
export type HistoryRow = RowOf<typeof CrmHistory, (typeof columns)[number]>;

export type HistoryEntry = {
  object_kind: HistoryKind;
  object_id: string;
  revision: number;
  event_id: string | null;
  actor: string;
  changes: HistoryChanges;
};

/** A merge or an erasure of a contact takes a revision without the lock of the deal or the task: every other write of them repeats on it. */
export const revisionTaken = 'crm_history_pkey';

/** Needs the object's lock, under which its revision was raised. */
export const writeHistory = (tx: OwnTx, entry: HistoryEntry): Promise<void> => tx.insert(CrmHistory, entry);

/** SQL: a set of many objects. */
const insertMany = `
  insert into crm_history (organization_id, object_kind, object_id, revision, actor, changes)
  select $1, $2, x.id, x.revision, $3, x.changes
    from unnest($4::uuid[], $5::int[], $6::jsonb[]) as x(id, revision, changes)`;

export type HistoryLine = Pick<HistoryEntry, 'object_id' | 'revision' | 'changes'>;

/** Of many objects at once, without events of their own. Needs what `writeHistory` needs. */
export async function writeHistories(
  tx: Pick<OwnTx, 'sql'>,
  { kind, actor }: { kind: HistoryKind; actor: string },
  lines: HistoryLine[],
): Promise<void> {
  if (lines.length === 0) return;
  await tx.sql(insertMany, [
    kind,
    actor,
    lines.map(({ object_id }) => object_id),
    lines.map(({ revision }) => revision),
    lines.map(({ changes }) => JSON.stringify(changes)),
  ]);
}

/** For an event: the names of the API's fields. */
export const fieldsIn = (changes: HistoryChanges): string[] => [
  ...new Set(Object.keys(changes).map((name) => (name.startsWith('custom_fields.') ? 'custom_fields' : name))),
];

const first = statement((select, { objectId, limit }: { objectId: string; limit: number }) =>
  select(CrmHistory).select(columns).where('object_id', '=', objectId).orderBy('revision', 'desc').limit(limit),
);
const next = statement((select, { objectId, limit, before }: { objectId: string; limit: number; before: number }) =>
  select(CrmHistory)
    .select(columns)
    .where('object_id', '=', objectId)
    .where('revision', '<', before)
    .orderBy('revision', 'desc')
    .limit(limit),
);

/** Newest first, one row more than the limit. `before`: the last revision of the page before. */
export const listHistory = (
  own: Own,
  objectId: string,
  { limit, before }: { limit: number; before?: number },
): Promise<HistoryRow[]> =>
  before === undefined ? first(own, { objectId, limit: limit + 1 }) : next(own, { objectId, limit: limit + 1, before });
