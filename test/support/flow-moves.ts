import { expect } from '@jest/globals';
import type { App, Body, Channel, Reply } from './app.ts';
import { goodFlow } from './flows.ts';
import { waitFor } from './wait-for.ts';

export const poolOfCalls = ({ wabaId, tenant }: Channel) => `waba:${wabaId}:${tenant.organizationId}`;
export const holdCalls = (app: App, channel: Channel) =>
  app.rows(`update pools set held_until = 'infinity' where id = $1`, [poolOfCalls(channel)]);
export const letCallsGo = (app: App, channel: Channel) =>
  app.rows('update pools set held_until = null where id = $1', [poolOfCalls(channel)]);

/** A channel whose account has no pace: a test would wait a second for each call. */
export async function unpaced(app: App): Promise<Channel> {
  const channel = await app.connect();
  await app.rows('insert into pools (organization_id, id, width) values ($1, $2, 4)', [
    channel.tenant.organizationId,
    poolOfCalls(channel),
  ]);
  return channel;
}

/** A document that differs from others by its title. */
export const document = (title: string): Body => {
  const flow = goodFlow();
  flow.screens[0]!.title = title;
  return flow;
};

let made = 0;
export async function draft(app: App, channel: Channel | undefined, more: object = {}): Promise<Body> {
  made += 1;
  const body = {
    name: `Flow ${made}`,
    category: 'survey',
    flow_json: document('First'),
    ...(channel && { channel_id: channel.id }),
    ...more,
  };
  const { status, body: flow } = await app.call('flows.create', { body });
  expect(status).toBe(201);
  return flow;
}

export const waiting = { prefer: 'wait=20' };

/** `action`: push, publish, sync, deprecate, preview. */
export const asks = (app: App, flowID: string, action: string, { body, take, isWaiting = true }: Body = {}): Promise<Reply> =>
  app.call(`flows.${action}`, {
    params: { flowID },
    ...(body && { body }),
    ...(take && { query: { take: 'provider' } }),
    ...(isWaiting && { headers: waiting }),
  });

/** Throws unless it went well. */
export async function doneBy(app: App, flowID: string, ...actions: string[]): Promise<Body> {
  let flow: Body;
  for (const action of actions) {
    const reply = await asks(app, flowID, action);
    if (reply.status !== 200 || reply.body.doing) throw new Error(`${action}: ${reply.status} ${reply.text}`);
    flow = reply.body;
  }
  return flow;
}

export const flowOf = async (app: App, flowID: string): Promise<Body> =>
  (await app.call('flows.get', { params: { flowID } })).body;

/** As it is once no job works for it. */
export const settled = (app: App, flowID: string): Promise<Body> =>
  waitFor('the end of the work', async () => {
    const flow = await flowOf(app, flowID);
    return flow.doing === null ? flow : undefined;
  });

/** What the provider has of a channel's account. */
export const there = async (app: App, { wabaId }: Channel): Promise<Body[]> =>
  (await app.control('GET', '/flows')).flows
    .filter((flow: Body) => flow.wabaId === wabaId)
    .map((flow: Body) => ({ ...flow, flow_json: flow.flow_json && JSON.parse(flow.flow_json) }));

export const titleOf = (flowJson: Body): string => flowJson.screens[0].title;

/** Somebody changes it in the provider's own pages. */
export const editThere = (app: App, flow: Body, title: string) =>
  app.control('POST', `/flows/${flow.provider_flow_id}/edit`, { flow_json: document(title), keeps_status: true });

export const statusUpdates = async (app: App, id: string): Promise<string[]> =>
  (await app.events(id))
    .filter(({ type }) => type === 'flow.status_update')
    .map(({ data }) => `${data.previous_status} ${data.status}`);
