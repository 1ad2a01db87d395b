import { request, type Stage, shortId } from './stage.ts';
import { webhooksOf } from './webhooks.ts';

type Deal = { id: string; status: string; amount_minor: string; currency_code: string };

const told = ({ status, body }: { status: number; body: Deal }) => ({
  what: `${status} ${body.status}`,
  note: `deal ${shortId(body.id)}, ${body.amount_minor} minor units of ${body.currency_code}`,
});

/** What the contact asked for becomes a deal of the conversation, and the deal is won. */
export async function deal(stage: Stage) {
  const path = `/v1/conversations/${stage.installation.conversation.id}/deals`;
  const body = { title: 'Order of the demo', amount_minor: '4990', currency_code: 'EUR' };
  const { id } = await request<Deal>(stage, path, 201, { method: 'POST', body, note: 'a deal of this conversation' }, told);
  await request<Deal>(stage, `/v1/crm/deals/${id}/win`, 200, { method: 'POST', body: {} }, told);
  await webhooksOf(stage, id, ['deal.created open', 'deal.stage_changed won', 'deal.closed won']);
}
