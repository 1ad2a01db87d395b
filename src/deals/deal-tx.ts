import { isDeepStrictEqual } from 'node:util';
import type { InferEntity } from '@mikro-orm/core';
import type { HistoryChanges } from '../history/history.entity.ts';
import { fieldsIn, writeHistory } from '../history/history.ts';
import { now } from '../platform/database/columns.ts';
import { brokenReference } from '../platform/database/errors.ts';
import type { Change } from '../platform/database/own.ts';
import { invalidField, notFound } from '../platform/errors.ts';
import { dealUpdated } from '../platform/events/crm-events.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { assertRevision } from '../platform/revision.ts';
import { iso } from '../platform/time/moment.ts';
import { Deal } from './deal.entity.ts';
import { type DealRow, dealLock, findDeal, findInBin } from './deal-row.ts';
import { changesBetween, shownFields } from './shown.ts';

export type DealValues = Change<InferEntity<typeof Deal>>;

/** A transaction that holds a deal's lock. Only this file creates one, so the type proves the lock. */
export type DealTx = OwnTx & {
  /** As it was at the beginning. */
  readonly deal: DealRow;
  readonly actor: string;
  /** Columns are written once, at the end; values the deal has already are no change. */
  set(values: DealValues): void;
  /** What is not a column of the deal: its links. */
  changed(field: string, change: { from: unknown; to: unknown }): void;
  /** In place of `deal.updated`; returns the event's id, null for none. */
  tellsBy(emit: (row: DealRow, changed: string[]) => string | null): void;
};

export type Asked = {
  id: string;
  actor: string;
  /** The revision that the caller has seen. */
  revision?: number;
  isInBin?: boolean;
  /** Its id is in the body: an unknown one is a 422 there. */
  isInBody?: boolean;
};

/**
 * One change of a deal: its columns, one revision, one row of history and one event; none of them when nothing changed. Needs the deal's
 * lock. Throws 404, and 409 for another revision.
 */
export async function changeDeal(tx: OwnTx, asked: Asked, work: (deal: DealTx) => Promise<void> | void): Promise<DealRow> {
  const { id, actor, revision, isInBin = false, isInBody = false } = asked;
  tx.assertLocked(dealLock(id));
  const deal = isInBin ? await findInBin(tx, id) : await findDeal(tx, id);
  if (!deal) throw isInBody ? unknownReference('deal_id') : notFound('Deal');
  assertRevision('deal', deal.revision, revision);
  const values: DealValues = {};
  const links: HistoryChanges = {};
  let tell: (row: DealRow, changed: string[]) => string | null = (row, changed) =>
    tx.emit(dealUpdated, stateOf(tx, row, changed));
  await work(
    Object.assign(Object.create(tx) as OwnTx, {
      deal,
      actor,
      set: (given: DealValues) => void Object.assign(values, given),
      changed: (field: string, change: { from: unknown; to: unknown }) => void Object.assign(links, { [field]: change }),
      tellsBy(emit: typeof tell) {
        tell = emit;
      },
    }),
  );
  const columns = Object.fromEntries(Object.entries(values).filter(([name, value]) => isOther(deal, name, value)));
  if (Object.keys(columns).length + Object.keys(links).length === 0) return deal;
  await tx
    .update(Deal, { id }, { ...columns, revision: deal.revision + 1, updated_at: now() })
    .catch((error: unknown) => refusedReference(error));
  const isGone = columns.deleted_at === undefined ? isInBin : columns.deleted_at !== null;
  const row = (isGone ? await findInBin(tx, id) : await findDeal(tx, id))!;
  const changes = { ...changesBetween(shownFields(deal), shownFields(row)), ...links };
  const eventId = tell(row, fieldsIn(changes));
  await writeHistory(tx, { object_kind: 'deal', object_id: id, revision: row.revision, event_id: eventId, actor, changes });
  return row;
}

const timeColumns = ['expected_close_at', 'closed_at', 'stage_entered_at'];

function isOther(deal: DealRow, name: string, value: unknown): boolean {
  const before = Object.hasOwn(deal, name) ? deal[name as keyof DealRow] : undefined;
  const isTime = timeColumns.includes(name) && typeof before === 'string' && typeof value === 'string';
  return isTime ? iso(before) !== iso(value) : !isDeepStrictEqual(before, value);
}

export const stateOf = (tx: OwnTx, { id, status, stage_id }: DealRow, changed: string[]) => ({
  deal_id: id,
  organization_id: tx.organizationId,
  status,
  stage_id,
  changed,
});

const fieldOfReference: Record<string, string> = {
  deals_stage_of_pipeline: 'stage_id',
  deals_owner_member: 'owner_user_id',
  deals_conversation: 'source_conversation_id',
};

/** What the database refuses, at the field that named it. */
export function refusedReference(error: unknown): never {
  const field = fieldOfReference[brokenReference(error) ?? ''];
  if (field) throw unknownReference(field);
  throw error;
}

const whatIs: Record<string, string> = {
  deal_id: 'No deal has this id',
  stage_id: 'No stage of the pipeline has this id',
  owner_user_id: 'No member of the organization has this id',
  source_conversation_id: 'No conversation has this id',
};
export const unknownReference = (field: string) => invalidField(field, whatIs[field]!, 'reference.unknown');
