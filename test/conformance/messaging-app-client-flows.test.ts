import { describe, expect, test } from '@jest/globals';
import { GraphApiError } from '@kapso/whatsapp-cloud-api';
import { phoneNumberId, useHouse, user, wabaId } from '../sandbox/house.ts';
import { endpointFlow, goodFlow } from '../support/flows.ts';
import { authored, clientFor } from './client.ts';

const house = useHouse();
const flowJson = authored(goodFlow());
const badFlow = authored({ ...goodFlow(), screens: goodFlow().screens.slice(0, 1) });
const make = async (options: object = {}) => clientFor(house).flows.create({ wabaId, name: 'Feedback', flowJson, ...options });
/** The client leaves it untyped. */
type Listed = { data: { name: string }[]; paging: { cursors: { after: string } } };
const stored = async (id: string) =>
  (await house.get('/_control/flows')).body.flows.find((flow: { id: string }) => flow.id === id);

describe('flows', () => {
  test('create: as a draft, with its document', async () => {
    const { id, success, validationErrors } = await make();
    expect([success, validationErrors]).toEqual([true, undefined]);
    const { flow_json, ...flow } = await stored(id);
    expect(flow).toMatchObject({ name: 'Feedback', status: 'DRAFT', categories: ['OTHER'] });
    expect(JSON.parse(flow_json)).toEqual(goodFlow());
  });

  test('create: published at once, with an endpoint, in several categories', async () => {
    const { id } = await make({ categories: ['SURVEY', 'LEAD_GENERATION'], publish: true });
    expect(await stored(id)).toMatchObject({ status: 'PUBLISHED', categories: ['SURVEY', 'LEAD_GENERATION'] });
    const other = await make({ name: 'Other', flowJson: authored(endpointFlow()), endpointUri: 'https://example.com/f' });
    expect(await stored(other.id)).toMatchObject({ status: 'DRAFT', endpointUri: 'https://example.com/f' });
  });

  test('create: with faults, which it names', async () => {
    const { id, validationErrors } = await make({ flowJson: badFlow });
    expect(validationErrors).toContainEqual(
      expect.objectContaining({
        error: 'INVALID_SCREEN_TRANSITION',
        errorType: 'FLOW_JSON_ERROR',
        message: expect.any(String),
        lineStart: 1,
        columnStart: expect.any(Number),
        pointers: [expect.objectContaining({ path: expect.stringMatching(/^screens\[0\]/) })],
      }),
    );
    expect((await stored(id)).validation_errors).toHaveLength(validationErrors!.length);
  });

  test('create: a name twice', async () => {
    await make();
    const error = await make().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(GraphApiError);
    expect(error).toMatchObject({ code: 100, category: 'parameter' });
  });

  test('updateAsset: an object, and a file', async () => {
    const { flows } = clientFor(house);
    const { id: flowId } = await make({ flowJson: badFlow });
    expect(await flows.updateAsset({ flowId, json: flowJson })).toEqual({ success: true });
    const file = new TextEncoder().encode(JSON.stringify(badFlow));
    const answer = await flows.updateAsset({ flowId, file });
    expect([answer.success, answer.validationErrors!.length > 0]).toEqual([true, true]);
  });

  test('publish, then deprecate', async () => {
    const { flows } = clientFor(house);
    const { id: flowId } = await make();
    expect(await flows.publish({ flowId, phoneNumberId })).toEqual({ success: true });
    expect(await flows.deprecate({ flowId, businessAccountId: wabaId })).toEqual({ success: true });
    expect(await stored(flowId)).toMatchObject({ status: 'DEPRECATED' });
    await expect(flows.publish({ flowId })).rejects.toMatchObject({ code: 139002 });
  });

  test('list: page by page', async () => {
    const { flows } = clientFor(house);
    for (const name of ['one', 'two', 'three']) await make({ name });
    const list = async (more: object) => (await flows.list({ wabaId, limit: 2, ...more })) as Listed;
    const first = await list({});
    expect(first.data).toEqual([
      { id: expect.any(String), name: 'one', status: 'DRAFT', categories: ['OTHER'], validationErrors: [] },
      { id: expect.any(String), name: 'two', status: 'DRAFT', categories: ['OTHER'], validationErrors: [] },
    ]);
    const second = await list({ after: first.paging.cursors.after });
    expect(second.data.map(({ name }) => name)).toEqual(['three']);
  });

  test('get: the usual fields, and those that are asked for', async () => {
    const { flows } = clientFor(house);
    const { id: flowId } = await make();
    const usual = { id: flowId, name: 'Feedback', status: 'DRAFT', categories: ['OTHER'], validationErrors: [] };
    expect(await flows.get({ flowId })).toEqual(usual);
    const fields = 'id,json_version,health_status,whatsapp_business_account,application';
    expect(await flows.get({ flowId, fields })).toEqual({
      id: flowId,
      jsonVersion: '7.2',
      healthStatus: expect.objectContaining({ canSendMessage: 'AVAILABLE', entities: expect.any(Array) }),
      whatsappBusinessAccount: expect.objectContaining({ id: wabaId }),
      application: expect.objectContaining({ id: expect.any(String) }),
    });
    await expect(flows.get({ flowId, fields: 'colour' })).rejects.toMatchObject({ code: 100 });
  });

  test('preview: with fields of its own and without, and the same address each time', async () => {
    const { flows } = clientFor(house);
    const { id: flowId } = await make();
    const { preview } = await flows.preview({ flowId });
    expect(preview).toEqual({ previewUrl: expect.stringContaining(flowId), expiresAt: expect.stringMatching(/\+0000$/) });
    expect(await flows.preview({ flowId, interactive: true })).toEqual({ preview });
    expect((await flows.preview({ flowId, fields: 'preview.invalidate(true)' })).preview.previewUrl).not.toBe(preview.previewUrl);
  });

  test('deploy: made once, changed, published and shown', async () => {
    const { flows } = clientFor(house);
    const first = await flows.deploy(flowJson as never, { wabaId, name: 'Deployed', publish: true, preview: true });
    expect(first).toEqual({
      flowId: expect.any(String),
      previewUrl: expect.stringMatching(/^http/),
      validationErrors: undefined,
    });
    const changed = JSON.parse(JSON.stringify(goodFlow()).replace('How was it?', 'How was it today?'));
    const again = await flows.deploy(authored(changed) as never, {
      wabaId,
      name: 'Deployed',
      flowId: first.flowId,
      publish: true,
    });
    expect(again.flowId).toBe(first.flowId);
    expect(await stored(first.flowId)).toMatchObject({ status: 'PUBLISHED', flow_json: JSON.stringify(changed) });
  });

  test('a flow that is sent, and its answer', async () => {
    const { messages } = clientFor(house);
    const { id: flowId } = await make({ publish: true });
    await house.openWindow();
    const parameters = {
      flowId,
      flowCta: 'Open',
      flowToken: 'T',
      flowAction: 'navigate' as const,
      flowActionPayload: { screen: 'ASK' },
    };
    const sent = await messages.sendInteractiveFlow({ phoneNumberId, to: `+${user}`, bodyText: 'Please', parameters });
    const message_id = sent.messages[0]!.id;
    await house.control('flow-answer', { message_id, response: { words: 'Good' } });
    await house.settled();
    const [answer] = house.receiver.values().flatMap(({ messages: list }) => list ?? []);
    expect(answer).toMatchObject({
      from: user,
      type: 'interactive',
      context: { id: message_id },
      interactive: { type: 'nfm_reply', nfm_reply: { name: 'flow', response_json: '{"flow_token":"T","words":"Good"}' } },
    });
  });
});
