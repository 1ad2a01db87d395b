import { fieldsIn } from '../history/history.ts';
import { brokenReference } from '../platform/database/errors.ts';
import type { Own } from '../platform/database/own.ts';
import { dealClosed, dealCreated } from '../platform/events/crm-events.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { PartText } from '../platform/ledger/part.ts';
import type { Look } from '../platform/ledger/transact.ts';
import { Afterwards, type OwnTx } from '../platform/ledger/tx.ts';
import { nowDate } from '../platform/time/clock.ts';
import type { DealRow } from './deal-row.ts';
import { stateOf } from './deal-tx.ts';
import { lookAround, type NewDeal, type Seen } from './new-deal.ts';
import { changesBetween, shownFields } from './shown.ts';

/** One statement writes the deal with its links, history and events. What it refers to may go meanwhile: the look says what is missing. */
export const creationOf = (own: Own, given: NewDeal): Look<Seen> => ({
  look: () => lookAround(own, given),
  locks: () => [],
  isOneTrip: true,
  outdatedBy: (error) => brokenReference(error) !== undefined,
});

/** SQL: a part of the ledger's own statement, which then is the whole transaction. */
const insertDeal: PartText = (
  ...[
    organization,
    id,
    title,
    status,
    amount,
    currency,
    home,
    atHome,
    expected,
    owner,
    source,
    pipeline,
    stage,
    closed,
    reason,
    ...more
  ]
) => {
  const [customFields, metadata, at, contacts, roles, primary, event, actor, changes] = more;
  return `
  made as (
    insert into deals (
      organization_id, id, title, status, amount_minor, currency_code, home_currency_at_write, amount_in_home_currency,
      expected_close_at, owner_user_id, source_conversation_id, pipeline_id, stage_id, closed_at, lost_reason, custom_fields,
      metadata, created_at, updated_at, stage_entered_at)
    values (
      ${organization}, ${id}, ${title}, ${status}, ${amount}, ${currency}, ${home}, ${atHome}, ${expected}, ${owner}, ${source},
      ${pipeline}, ${stage}, ${closed}, ${reason}, ${customFields}, ${metadata}, ${at}, ${at},
      case when ${stage}::uuid is not null then ${at}::timestamptz end)
    returning position::text),
  made_contacts as (
    insert into deal_contacts (organization_id, deal_id, contact_id, role, is_primary)
    select ${organization}::uuid, ${id}::uuid, x.contact_id, x.role, x.is_primary
      from unnest(${contacts}::uuid[], ${roles}::text[], ${primary}::boolean[]) as x(contact_id, role, is_primary)),
  made_conversation as (
    insert into deal_conversations (organization_id, conversation_id, deal_id)
    select ${organization}::uuid, ${source}::uuid, ${id}::uuid
     where ${source}::uuid is not null),
  made_history as (
    insert into crm_history (organization_id, object_kind, object_id, revision, event_id, actor, changes)
    select ${organization}::uuid, 'deal', ${id}::uuid, 1, ${event}::uuid, ${actor},
           ${changes}::jsonb || jsonb_build_object('position', jsonb_build_object('from', null, 'to', made.position))
      from made)`;
};

/** The deal once it is written: the database gives its position. */
export function createDeal(tx: OwnTx, actor: string, given: NewDeal, seen: Seen, id = uuidv7()): Afterwards<DealRow> {
  const row = rowOf(id, given, seen);
  tx.isNew('deal', row.id);
  const { contacts, source_conversation_id: source } = row;
  const links = {
    ...(contacts.length > 0 && { contacts: { from: [], to: contacts } }),
    ...(source !== null && { conversations: { from: [], to: [source] } }),
  };
  const changes = { ...changesBetween({}, shownFields(row)), ...links };
  const eventId = tx.emit(dealCreated, stateOf(tx, row, fieldsIn(changes)));
  if (row.status !== 'open') tx.emit(dealClosed, { deal_id: row.id, organization_id: tx.organizationId, status: row.status });
  tx.include({ text: insertDeal, params: paramsOf(tx, row, [eventId, actor, JSON.stringify(changes)]), gives: 'made' });
  return new Afterwards(() => ({ ...row, position: tx.given<{ position: string }>('made')!.position }));
}

function rowOf(id: string, given: NewDeal, { money, stage, status, contacts }: Seen): DealRow {
  const at = nowDate().toISOString();
  return {
    id,
    title: given.title,
    status,
    ...money,
    expected_close_at: given.expected_close_at || null,
    owner_user_id: given.owner_user_id ?? null,
    source_conversation_id: given.source_conversation_id ?? null,
    pipeline_id: stage?.pipeline_id ?? null,
    stage_id: stage?.id ?? null,
    stage_entered_at: stage ? at : null,
    position: '',
    closed_at: status === 'open' ? null : at,
    lost_reason: given.lost_reason ?? '',
    custom_fields: withoutNulls(given.custom_fields),
    metadata: given.metadata ?? {},
    revision: 1,
    created_at: at,
    updated_at: at,
    probability: stage?.probability ?? null,
    contacts,
  };
}

const withoutNulls = (fields: Record<string, unknown> = {}) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));

/** In the order of insertDeal. */
const paramsOf = (tx: OwnTx, row: DealRow, history: unknown[]): unknown[] => [
  tx.organizationId,
  row.id,
  row.title,
  row.status,
  row.amount_minor,
  row.currency_code,
  row.home_currency_at_write,
  row.amount_in_home_currency,
  row.expected_close_at,
  row.owner_user_id,
  row.source_conversation_id,
  row.pipeline_id,
  row.stage_id,
  row.closed_at,
  row.lost_reason,
  JSON.stringify(row.custom_fields),
  JSON.stringify(row.metadata),
  row.created_at,
  row.contacts.map(({ contact_id }) => contact_id),
  row.contacts.map(({ role }) => role),
  row.contacts.map(({ is_primary }) => is_primary),
  ...history,
];
