import { beforeAll, describe, expect, test } from '@jest/globals';
import { flowStatuses } from '../../../src/flows/flow.entity.ts';
import { messageIdIn } from '../../../src/flows/token.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import type { FlowMade } from '../../support/factories/flow-at-provider.ts';
import { countRoundTrips } from '../../support/round-trips.ts';
import { testSecrets } from '../../support/secrets.ts';
import { flowMessage, flowOf } from '../../support/sent-flows.ts';
import { storedFlowSends, storedFlows, storedFlowVersions } from '../../support/stored/flows.ts';
import { storedMessages } from '../../support/stored/messaging.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });
let channel: Channel;
let phone: string;
let flow: FlowMade;

beforeAll(async () => {
  channel = await app.connect();
  await app.storeTemplates(channel);
  ({ phone } = await app.conversation(channel));
  flow = await flowOf(app, channel);
});

const send = (parameters: object, more: object = {}, to = phone) => app.text(channel, to, flowMessage(parameters, more));
const sendOf = (messageId: string) =>
  storedFlowSends.all(app, { message_id: messageId }, { columns: ['flow_id', 'version', 'client_token', 'responded_at'] });
const field = 'interactive.action.parameters';

/** The request that carried the message. */
const onWire = (messageId: string): Promise<Body> =>
  waitFor('the send', async () =>
    (await app.sends(channel)).map(({ body }) => body).find((body: Body) => body.biz_opaque_callback_data === messageId),
  );

/** The provider has another version of it from now on. */
async function pushedAgain(flowId: string) {
  const { organization_id } = await storedFlows.one(app, flowId);
  await storedFlowVersions.add(app, {
    organization_id,
    flow_id: flowId,
    number: 2,
    builder_version: 1,
    json_version: '7.2',
    data_api_version: '',
    sha256: 'y',
    labels: {},
    why: 'edit',
  });
  await storedFlows.change(app, flowId, { provider_version: 2 });
}

describe('a message that opens a flow', () => {
  test('is taken, and shows what the client sent', async () => {
    const parameters = { flow_id: flow.id, flow_token: 'booking-4711', flow_action_payload: { screen: 'DAY', data: { a: 1 } } };
    const { status, body } = await send(parameters);
    expect(status).toBe(201);
    expect(body.data.content.action.parameters).toEqual({ flow_cta: 'Book', flow_message_version: '3', ...parameters });
    expect(await sendOf(body.data.id)).toEqual([
      { flow_id: flow.id, version: 1, client_token: 'booking-4711', responded_at: null },
    ]);
  });

  test('goes out with the provider’s id and with a token that only we can make', async () => {
    const { data } = (await send({ flow_id: flow.id, flow_token: 'secret of the client' })).body;
    const { interactive } = await onWire(data.id);
    const { flow_token, ...others } = interactive.action.parameters;
    expect(others).toEqual({ flow_message_version: '3', flow_cta: 'Book', flow_id: flow.providerFlowId });
    expect(flow_token).toMatch(new RegExp(`^${data.id}\\.[\\w-]{43}$`));
    expect(messageIdIn(testSecrets, app.tenant.organizationId, flow_token)).toBe(data.id);
    await app.messageIn(data.id, 'read');
  });

  test('takes no more round trips than a text', async () => {
    const trips = countRoundTrips(app.web.deps.database.pool);
    // The fewest of each: what the process does beside it is counted too, and on a busy machine that is nearly always something.
    const fewest = { text: Number.POSITIVE_INFINITY, flow: Number.POSITIVE_INFINITY };
    for (let time = 0; time < 40 && (time < 8 || fewest.flow !== fewest.text); time += 1) {
      fewest.text = Math.min(fewest.text, await trips.during(() => app.text(channel, phone)));
      fewest.flow = Math.min(fewest.flow, await trips.during(() => send({ flow_id: flow.id })));
    }
    expect(fewest.flow).toBe(fewest.text);
  });

  test('a draft is sent as a draft', async () => {
    const draft = await flowOf(app, channel, { status: 'draft' });
    const { data } = (await send({ flow_id: draft.id, mode: 'draft' })).body;
    expect((await onWire(data.id)).interactive.action.parameters).toMatchObject({ mode: 'draft', flow_id: draft.providerFlowId });
    await app.messageIn(data.id, 'read');
  });

  test('at its time it has the version that the provider has by then', async () => {
    const later = await flowOf(app, channel);
    const soon = new Date(Date.now() + 1_500).toISOString();
    const { data } = (await send({ flow_id: later.id, flow_token: 't' }, { send_at: soon })).body;
    expect(await sendOf(data.id)).toMatchObject([{ flow_id: later.id, version: 1, client_token: 't' }]);
    await pushedAgain(later.id);
    await app.messageIn(data.id, 'read', 15_000);
    expect(await sendOf(data.id)).toMatchObject([{ flow_id: later.id, version: 2, client_token: 't' }]);
  });

  test('one that waited for its turn has the version that the provider had when it went out', async () => {
    // A channel of its own: the fault meets no other message.
    const own = await app.connect();
    const waited = await flowOf(app, own);
    const { phone: to } = await app.conversation(own);
    await app.fault(own, { status: 503, times: 1 });
    const { data } = (await app.text(own, to, flowMessage({ flow_id: waited.id, flow_token: 't' }))).body;
    await waitFor('the first try', async () => (await app.jobOf(data.id))?.attempts === 1);
    await app.hold(own);
    expect(await sendOf(data.id)).toMatchObject([{ version: 1 }]);
    await pushedAgain(waited.id);
    await app.letGo(own);
    await app.messageIn(data.id, 'read', 15_000);
    expect(await sendOf(data.id)).toMatchObject([{ flow_id: waited.id, version: 2, client_token: 't', responded_at: null }]);
  });

  test('in a conversation it is the same', async () => {
    const { id: conversationID } = await app.conversation(channel);
    const { text: _text, ...body } = flowMessage({ flow_id: flow.id });
    const { status, body: sent } = await app.call('conversations.messages.send', { params: { conversationID }, body });
    expect([status, (await sendOf(sent.data.id)).length]).toEqual([201, 1]);
  });

  test('the flow that was deleted before the message went out fails it', async () => {
    const own = await app.connect();
    const gone = await flowOf(app, own);
    const { phone: to } = await app.conversation(own);
    await app.hold(own);
    const { data } = (await app.text(own, to, flowMessage({ flow_id: gone.id }))).body;
    await storedFlows.remove(app, gone.id);
    await app.letGo(own);
    const { failure } = await app.messageIn(data.id, 'failed');
    expect(failure).toMatchObject({ code: 'flow_unavailable' });
    expect(await sendOf(data.id)).toMatchObject([{ flow_id: null, version: null }]);
  });
});

describe('refused before it is taken, and nothing is stored:', () => {
  const refuses = async (parameters: object, code: string, at: string, to = phone) => {
    const stored = async () => ({ messages: await storedMessages.count(app), sends: await storedFlowSends.count(app) });
    const before = await stored();
    const { status, body } = await send(parameters, {}, to);
    expect([status, body.error.code, body.error.details?.[0].field]).toEqual([422, code, at]);
    expect(await stored()).toEqual(before);
  };

  test.each(flowStatuses.flatMap((status) => ['published', 'draft'].map((mode) => [status, mode] as const)))(
    'or taken: a flow that is %s, in the mode %s',
    async (status, mode) => {
      const made = await flowOf(app, channel, { status });
      const isTaken = mode === 'draft' ? status === 'draft' : status === 'published' || status === 'throttled';
      if (!isTaken) {
        const part = mode === 'draft' ? 'mode' : 'flow_id';
        await refuses({ flow_id: made.id, mode }, 'flow_unavailable', `${field}.${part}`);
      } else expect((await send({ flow_id: made.id, mode })).status).toBe(201);
    },
  );

  test('a flow that is not there, or another organization’s', async () => {
    await refuses({ flow_id: '01932d5f-3a0e-7cc4-8f4e-0242ac12ffff' }, 'flow_unavailable', `${field}.flow_id`);
    const other = await app.connect({ tenant: await app.organization() });
    await refuses({ flow_id: (await flowOf(app, other)).id }, 'flow_unavailable', `${field}.flow_id`);
  });

  test('a flow of another account', async () => {
    const other = await flowOf(app, await app.connect());
    await refuses({ flow_id: other.id }, 'flow_unavailable', `${field}.flow_id`);
  });

  test('a flow that the provider does not have', async () => {
    const local = await flowOf(app, channel, { providerFlowId: null });
    await refuses({ flow_id: local.id }, 'flow_unavailable', `${field}.flow_id`);
  });

  test('a flow that is being deleted', async () => {
    const leaving = await flowOf(app, channel);
    await storedFlows.change(app, leaving.id, { doing: 'delete' });
    await refuses({ flow_id: leaving.id }, 'flow_unavailable', `${field}.flow_id`);
  });

  test('a screen that it does not have', async () => {
    const payload = { flow_action_payload: { screen: 'NOWHERE' } };
    await refuses({ flow_id: flow.id, ...payload }, 'flow_unavailable', `${field}.flow_action_payload.screen`);
  });

  test('its endpoint is to give the first screen, and it has none', async () => {
    const asked = { flow_action: 'data_exchange' };
    await refuses({ flow_id: flow.id, ...asked }, 'flow_unavailable', `${field}.flow_action`);
    await storedFlowVersions.change(app, { flow_id: flow.id }, { data_api_version: '3.0' });
    expect((await send({ flow_id: flow.id, ...asked })).status).toBe(201);
  });

  test.each<[string, object, string]>([
    [
      'data without any',
      { flow_id: '01932d5f-3a0e-7cc4-8f4e-0242ac12ffff', flow_action_payload: { screen: 'A', data: {} } },
      `${field}.flow_action_payload.data`,
    ],
    ['an id that is none', { flow_id: '123' }, `${field}.flow_id`],
    ['no flow', {}, field],
    ['a name beside an id', { flow_name: 'survey', flow_id: '01932d5f-3a0e-7cc4-8f4e-0242ac12ffff' }, field],
    ['an empty token', { flow_id: '01932d5f-3a0e-7cc4-8f4e-0242ac12ffff', flow_token: '' }, `${field}.flow_token`],
    [
      'a token of 1,001',
      { flow_id: '01932d5f-3a0e-7cc4-8f4e-0242ac12ffff', flow_token: 'x'.repeat(1_001) },
      `${field}.flow_token`,
    ],
    ['a mode that is none', { flow_id: '01932d5f-3a0e-7cc4-8f4e-0242ac12ffff', mode: 'test' }, `${field}.mode`],
  ])('%s', (_what, parameters, at) => refuses(parameters, 'invalid_request', at));

  test('outside the window, and to a person who opted out', async () => {
    const { phone: silent } = await app.conversation(channel, undefined, `clock_timestamp() - interval '25 hours'`);
    expect((await send({ flow_id: flow.id }, {}, silent)).body.error.code).toBe('window_closed');
    const { phone: stopped, contactId } = await app.conversation(channel);
    await app.call('contacts.suppressions.create', {
      params: { contactID: contactId },
      body: { channel: 'messaging_app', reason: 'manual' },
    });
    expect((await send({ flow_id: flow.id }, {}, stopped)).body.error.code).toBe('suppressed');
  });
});

describe('a template with a button that opens a flow', () => {
  const components = (flowId: string) => [
    { type: 'BODY', text: 'Hello' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'QUICK_REPLY', text: 'Later' },
        { type: 'FLOW', text: 'Book', flow_id: flowId, flow_action: 'navigate', navigate_screen: 'DAY' },
      ],
    },
  ];
  const button = (action: object) => ({
    type: 'button',
    sub_type: 'flow',
    index: '1',
    parameters: [{ type: 'action', action }],
  });
  const made = async (flowId: string): Promise<Channel> => {
    const template = { id: '1', name: 'book', language: 'en_US', category: 'UTILITY', status: 'APPROVED' };
    const one = await app.connect({ account: { templates: [{ ...template, components: components(flowId) }] } });
    await app.rows(
      `insert into templates (id, organization_id, channel_id, provider_template_id, name, language, category, status, components)
       values (uuidv7(), $1, $2, '1', 'book', 'en_US', 'utility', 'approved', $3)
       on conflict on constraint templates_name do update set components = excluded.components`,
      [app.tenant.organizationId, one.id, JSON.stringify(components(flowId))],
    );
    return one;
  };
  const sendTemplate = (one: Channel, given?: object[]) =>
    app.text(one, app.phone(), {
      type: 'template',
      text: undefined,
      template: { name: 'book', language: 'en_US', ...(given && { components: given }) },
    });
  const actionOnWire = async (one: Channel, id: string) => {
    const body: Body = await waitFor('the send', async () =>
      (await app.sends(one)).map((request) => request.body).find((sent: Body) => sent.biz_opaque_callback_data === id),
    );
    return body.template.components;
  };

  test('goes out with our token, whether the client gave its own or none', async () => {
    const providerFlowId = '7700001';
    const one = await made(providerFlowId);
    const opened = await flowOf(app, one, { providerFlowId });
    const withToken = (await sendTemplate(one, [button({ flow_token: 'mine', flow_action_data: { x: 1 } })])).body.data;
    expect(await sendOf(withToken.id)).toMatchObject([{ flow_id: opened.id, version: 1, client_token: 'mine' }]);
    expect(await actionOnWire(one, withToken.id)).toEqual([
      button({ flow_token: expect.stringMatching(`^${withToken.id}\\.`), flow_action_data: { x: 1 } }),
    ]);
    const without = (await sendTemplate(one)).body.data;
    expect(await sendOf(without.id)).toMatchObject([{ flow_id: opened.id, client_token: null }]);
    expect(await actionOnWire(one, without.id)).toEqual([button({ flow_token: expect.stringMatching(`^${without.id}\\.`) })]);
  });

  test('is refused while its flow cannot be opened', async () => {
    const providerFlowId = '7700002';
    const one = await made(providerFlowId);
    await flowOf(app, one, { providerFlowId, status: 'blocked' });
    const { status, body } = await sendTemplate(one);
    expect([status, body.error.code]).toEqual([422, 'flow_unavailable']);
  });

  test('is the provider’s matter where Kanal does not know the flow, and the client’s token is kept', async () => {
    const one = await made('7700003');
    const { status, body } = await sendTemplate(one, [button({ flow_token: 'mine' })]);
    expect(status).toBe(201);
    expect(await sendOf(body.data.id)).toMatchObject([{ flow_id: null, version: null, client_token: 'mine' }]);
  });
});
