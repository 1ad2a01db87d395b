import { insertFlow } from '../flows/insert.ts';
import { httpPath } from '../http-path.ts';
import type { Path } from '../path.ts';
import type { Side, Stage } from '../stage.ts';
import type { Tenant } from '../tenant.ts';
import { any, postMessageRequest, takeJobsAway } from './http.ts';

/** By the organization. */
const flows = new Map<string, string>();

async function prepare({ sql, tenant }: Side) {
  if (!flows.has(tenant.organizationId)) flows.set(tenant.organizationId, await insertFlow(sql, tenant));
}

async function between(side: Side) {
  await takeJobsAway(side);
  await side.sql.query('vacuum analyze flow_sends');
}

/** All that a client may say of it, and as few words as the text has. */
function postFlowRequest({ organizationId, apiKey, channelId }: Tenant, phone: string) {
  const parameters = {
    flow_message_version: '3',
    flow_id: flows.get(organizationId),
    flow_cta: 'Book',
    flow_token: 'order-4711',
    flow_action: 'navigate',
    flow_action_payload: { screen: 'DAY' },
  };
  const interactive = { type: 'flow', body: { text: 'Your order is on its way' }, action: { name: 'flow', parameters } };
  return {
    method: 'POST' as const,
    path: '/v1/messages',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ channel_id: channelId, to: `+${phone}`, type: 'interactive', interactive }),
  };
}

export const flowMessage = httpPath({
  name: 'flow-message',
  what: 'POST /v1/messages that opens a flow',
  status: 201,
  prepare,
  between,
  request: ({ tenant }) => postFlowRequest(tenant, any(tenant.people).phone),
});

const about = { name: 'flow-beside-text', what: 'the same, beside a text: Kanal on both sides' };

/** Two web processes of Kanal on one database: what stands for the floor accepts texts. */
export const flowBesideText: Path = {
  ...about,
  unit: 'requests/s',
  better: 'rate',
  async open(stage, options) {
    const { kanal } = stage;
    const twin: Stage = { ...stage, floor: { ...kanal, name: 'floor' } };
    const path = httpPath({
      ...about,
      status: 201,
      prepare,
      between,
      request({ name, tenant }) {
        const { phone } = any(tenant.people);
        return name === 'kanal' ? postFlowRequest(tenant, phone) : postMessageRequest(tenant, phone);
      },
    });
    const opened = await path.open(twin, options);
    return { round: ({ name }) => opened.round(twin[name]), close: opened.close };
  },
};
