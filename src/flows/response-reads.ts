import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { notFound } from '../platform/errors.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { bindTo } from '../platform/listing/bind.ts';
import { type Ask, type Page, type PageRows, pageAskedFor } from '../platform/listing/paging.ts';
import { FlowResponse } from './answer.entity.ts';
import { assertFlow } from './flow-row.ts';

const columns = [
  'id',
  'flow_id',
  'message_id',
  'sent_message_id',
  'contact_id',
  'conversation_id',
  'channel_id',
  'response',
  'answers',
  'is_malformed',
  'client_token',
] as const;
/** `created_at`: when it was received, by which lists go. */
export type ResponseRow = RowOf<typeof FlowResponse, (typeof columns)[number]> & { created_at: string };

export type ResponseFilter = { contactId?: string; since?: string; until?: string; isMalformed?: boolean };

/**
 * Newest first; each filter has an index in the list's order. SQL: the client's filters decide the statement, and `is_malformed` chooses
 * a partial index.
 */
export async function listResponses(
  own: Own,
  ask: Ask,
  flowId: string,
  { contactId, since, until, isMalformed }: ResponseFilter,
  page: Page,
): Promise<PageRows<ResponseRow>> {
  await assertFlow(own, flowId);
  const params: unknown[] = [own.organizationId];
  const bind = bindTo(params);
  const where = ['r.organization_id = $1', `r.flow_id = ${bind(flowId)}`];
  if (contactId) where.push(`r.contact_id = ${bind(contactId)}`);
  if (since) where.push(`r.received_at >= ${bind(since)}::timestamptz`);
  if (until) where.push(`r.received_at < ${bind(until)}::timestamptz`);
  if (isMalformed !== undefined) where.push(isMalformed ? 'r.is_malformed' : 'not r.is_malformed');
  const text = `
    select ${columns.map((column) => `r.${column}`).join(', ')}, r.received_at as created_at
      from flow_responses r
     where ${where.join(' and ')}`;
  return pageAskedFor<ResponseRow>(ask, text, params, page);
}

type Which = { flowId: string; id: string };

const responseById = statement((select, { flowId, id }: Which) =>
  select(FlowResponse).select(columns).select('received_at as created_at').where('flow_id', '=', flowId).where('id', '=', id),
);

export async function readResponse(own: Own, which: Which): Promise<ResponseRow> {
  const [row] = await responseById(own, which);
  if (!row) throw notFound('Response');
  return row;
}

/** The message that it came in stays, as all messages do. */
export async function removeResponse(tx: OwnTx, { flowId: flow_id, id }: Which): Promise<void> {
  if ((await tx.delete(FlowResponse, { flow_id, id })) === 0) throw notFound('Response');
}

export type FlowStats = { sent: number; delivered: number; read: number; responded: number };

/** SQL: counts over messages, which stand above flows. What was answered has been read, whatever the provider has told so far. */
const stats = `
  select count(*) filter (where x.was_answered or x.status in ('sent', 'delivered', 'read'))::int as sent,
         count(*) filter (where x.was_answered or x.status in ('delivered', 'read'))::int as delivered,
         count(*) filter (where x.was_answered or x.status = 'read')::int as read,
         count(*) filter (where x.was_answered)::int as responded
    from (select m.status, s.responded_at is not null as was_answered
            from flow_sends s
            join messages m on m.organization_id = s.organization_id and m.id = s.message_id
           where s.organization_id = $1
             and s.flow_id = $2) x`;

/** Of the messages that opened the flow; an answer counts once for each. */
export async function statsOf(own: Own, ask: Ask, flowId: string): Promise<FlowStats> {
  await assertFlow(own, flowId);
  const [row] = await ask<FlowStats>(stats, [own.organizationId, flowId]);
  return row!;
}
