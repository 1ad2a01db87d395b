import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { ProviderBusy, ProviderFailed, type ProviderRefused, ProviderUnknown } from '../../../src/providers/errors.ts';
import { createGraphClient, type GraphClient } from '../../../src/providers/messaging-app/client.ts';
import { FlowRefused, flowReasonOf } from '../../../src/providers/messaging-app/flow-refusals.ts';
import { graphMessagingApp } from '../../../src/providers/messaging-app/graph.ts';
import type { MessagingApp } from '../../../src/providers/messaging-app/provider.ts';
import { phoneNumberId, token, useHouse, wabaId } from '../../sandbox/house.ts';
import { endpointFlow, goodFlow } from '../../support/flows.ts';

const house = useHouse();
const account = { phoneNumberId, accountId: wabaId, accessToken: token };
let client: GraphClient;
let app: MessagingApp;

beforeAll(() => {
  client = createGraphClient({ baseUrl: `${house.url}/v23.0`, timeoutMs: 3_000 });
  app = graphMessagingApp(client);
});
afterAll(() => client.close());

const metadata = { name: 'Feedback', categories: ['survey'] };
const made = async (name = metadata.name) => (await app.createFlow(account, { ...metadata, name })).id;
const thrown = (work: Promise<unknown>): Promise<Error & Record<string, unknown>> =>
  work.then(
    () => {
      throw new Error('It did not throw');
    },
    (error) => error,
  );
async function published(document: object = goodFlow()) {
  const id = await made();
  await app.uploadFlowDocument(account, id, JSON.stringify(document));
  await app.publishFlow(account, id);
  return id;
}
const put = async (status: string, flow: object = goodFlow()) =>
  (await house.control('flows', { waba_id: wabaId, name: `A ${status} one`, status, flow_json: flow })).body.id as string;

describe('the life of a flow', () => {
  test('made, read, given a document, published, deprecated', async () => {
    const { id, validationErrors } = await app.createFlow(account, metadata);
    expect(validationErrors).toEqual([]);
    expect(await app.readFlow(account, id)).toEqual({
      id,
      name: 'Feedback',
      status: 'draft',
      categories: ['survey'],
      validationErrors: [],
      jsonVersion: '',
      dataApiVersion: '',
      endpointUri: '',
      previewUrl: expect.stringMatching(/^http/),
      previewExpiresAt: expect.any(Date),
    });
    expect(await app.downloadFlowDocument(account, id)).toBeUndefined();
    expect(await app.uploadFlowDocument(account, id, JSON.stringify(goodFlow()))).toEqual({ validationErrors: [] });
    await app.publishFlow(account, id);
    expect(await app.readFlow(account, id)).toMatchObject({ status: 'published', jsonVersion: '7.2' });
    expect(await app.downloadFlowDocument(account, id)).toEqual(goodFlow());
    await app.deprecateFlow(account, id);
    expect(await app.readFlow(account, id)).toMatchObject({ status: 'deprecated' });
  });

  test('another name, another category, an endpoint', async () => {
    const id = await made();
    await app.updateFlow(account, id, { name: 'Other', categories: ['other', 'sign_up'], endpointUri: 'https://example.com/f' });
    expect(await app.readFlow(account, id)).toMatchObject({
      name: 'Other',
      categories: ['other', 'sign_up'],
      endpointUri: 'https://example.com/f',
    });
  });

  test('one with an endpoint says its version of the data api, and is published once the number has a key', async () => {
    const { id } = await app.createFlow(account, { ...metadata, endpointUri: 'https://example.com/f' });
    expect(await app.uploadFlowDocument(account, id, JSON.stringify(endpointFlow()))).toEqual({ validationErrors: [] });
    expect(await app.readFlow(account, id)).toMatchObject({ dataApiVersion: '3.0' });
    expect(await thrown(app.publishFlow(account, id))).toMatchObject({ reason: 'not_publishable' });
    await app.uploadFlowKey(account, pem());
    await app.publishFlow(account, id);
  });

  test('deleted', async () => {
    const id = await made();
    await app.deleteFlow(account, id);
    expect(await thrown(app.readFlow(account, id))).toMatchObject({ reason: 'gone' });
  });

  test('another preview, only when it is asked for', async () => {
    const id = await made();
    const read = async (isPreviewRenewed?: boolean) => (await app.readFlow(account, id, { isPreviewRenewed })).previewUrl;
    const first = await read();
    expect(await read(false)).toBe(first);
    expect(await read(true)).not.toBe(first);
  });

  test('listed page by page, and found by the exact name', async () => {
    for (let index = 0; index < 101; index += 1)
      await put('DRAFT').then((id) => house.control(`flows/${id}/edit`, { name: `n${index}` }));
    const first = await app.listFlows(account);
    expect([first.flows.length, typeof first.after]).toEqual([100, 'string']);
    const second = await app.listFlows(account, { after: first.after });
    expect([second.flows.length, second.after]).toEqual([1, null]);
    expect(first.flows[0]).toEqual({ id: expect.any(String), name: 'n0', status: 'draft', categories: ['other'] });
    expect((await app.findFlows(account, 'n100')).map(({ name }) => name)).toEqual(['n100']);
    expect(await app.findFlows(account, 'n1000')).toEqual([]);
  });
});

test("validation errors are kept line by line, in the provider's words", async () => {
  const id = await made();
  const document = JSON.stringify(goodFlow(), null, 2).replace('"TextHeading"', '"TextHeading", "size": 9');
  const { validationErrors } = await app.uploadFlowDocument(account, id, document);
  const line = document.split('\n').findIndex((text) => text.includes('"size"')) + 1;
  const column = document.split('\n')[line - 1]!.indexOf('"size"') + 1;
  expect(validationErrors).toEqual([
    {
      error: 'INVALID_PROPERTY',
      errorType: 'JSON_SCHEMA_ERROR',
      message: 'The property "size" cannot be specified at "$root/screens/0/layout/children/0".',
      path: 'screens[0].layout.children[0].size',
      lineStart: line,
      lineEnd: line,
      columnStart: column,
      columnEnd: column + 5,
    },
  ]);
  expect((await app.readFlow(account, id)).validationErrors).toEqual(validationErrors);
});

describe('keys', () => {
  test('none, then the one that was given', async () => {
    expect(await app.readFlowKey(account)).toEqual({ publicKey: null, isTrusted: false });
    const key = pem();
    await app.uploadFlowKey(account, key);
    expect(await app.readFlowKey(account)).toEqual({ publicKey: key, isTrusted: true });
  });

  test('one that is none is refused', async () => {
    expect(await thrown(app.uploadFlowKey(account, 'not a key'))).toMatchObject({ providerCode: '100', reason: 'other' });
  });
});

const pem = () =>
  generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type: 'spki', format: 'pem' }).toString();
const document = (change: object) => JSON.stringify({ ...goodFlow(), ...change });

describe('a refusal says why', () => {
  const nobody = '299999999999999';
  test.each<[string, string, string, () => Promise<unknown>]>([
    ['a name that is taken', '100', 'name_taken', async () => [await made(), await made()]],
    [
      'a name that is taken, given later',
      '100',
      'name_taken',
      async () => app.updateFlow(account, await made('Other'), { name: await made().then(() => metadata.name) }),
    ],
    [
      'a version that is not known',
      '100',
      'json_version',
      async () => app.uploadFlowDocument(account, await made(), document({ version: '99.0' })),
    ],
    [
      'no version',
      '100',
      'json_version',
      async () => app.uploadFlowDocument(account, await made(), document({ version: undefined })),
    ],
    [
      'a version of the data api',
      '100',
      'data_api_version',
      async () => app.uploadFlowDocument(account, await made(), document({ data_api_version: '9' })),
    ],
    [
      'an endpoint that is no address',
      '100',
      'endpoint_uri',
      async () => app.updateFlow(account, await made(), { endpointUri: 'nowhere' }),
    ],
    [
      'two sources of a clone',
      '100',
      'clone_source',
      async () => client.post(`${wabaId}/flows`, token, { ...onWire, clone_flow_id: '1', flow_json: '{}' }),
    ],
    ['a category that is none', '100', 'other', () => app.createFlow(account, { ...metadata, categories: ['cooking'] })],
    ['a flow that is not there, read', '100', 'gone', () => app.readFlow(account, nobody)],
    ['a flow that is not there, changed', '100', 'gone', () => app.updateFlow(account, nobody, { name: 'x' })],
    ['a flow that is not there, given a document', '100', 'gone', () => app.uploadFlowDocument(account, nobody, document({}))],
    ['a flow that is not there, downloaded', '100', 'gone', () => app.downloadFlowDocument(account, nobody)],
    ['a flow that is not there, published', '100', 'gone', () => app.publishFlow(account, nobody)],
    ['a flow that is not there, deprecated', '100', 'gone', () => app.deprecateFlow(account, nobody)],
    ['a flow that is not there, deleted', '100', 'gone', () => app.deleteFlow(account, nobody)],
    ['JSON that is none', '139001', 'not_editable', async () => app.uploadFlowDocument(account, await made(), '{"version":')],
    [
      'an edit of one that is deprecated',
      '139001',
      'not_editable',
      async () => app.updateFlow(account, await put('DEPRECATED'), { name: 'x' }),
    ],
    ['publishing without a document', '139002', 'not_publishable', async () => app.publishFlow(account, await made())],
    ['publishing twice', '139002', 'not_publishable', async () => app.publishFlow(account, await published())],
    ['deprecating a draft', '139003', 'not_deprecatable', async () => app.deprecateFlow(account, await made())],
    ['deprecating twice', '139003', 'not_deprecatable', async () => app.deprecateFlow(account, await put('DEPRECATED'))],
    ['deleting what is published', '139004', 'not_deletable', async () => app.deleteFlow(account, await published())],
  ])('%s', async (_what, providerCode, reason, work) => {
    const error = await thrown(_what.startsWith('two sources') ? reasoned(work()) : work());
    expect(error).toBeInstanceOf(FlowRefused);
    expect(error).toMatchObject({ providerCode, reason, stopsChannel: undefined });
  });

  test('with the words that are meant for people', async () => {
    await made();
    expect((await thrown(made())).message).toBe(
      'Invalid parameter: Flow name is not unique: Please specify a different name for your Flow.',
    );
  });

  test('one of another account is not there', async () => {
    const other = { waba_id: '7', phone_number_id: '8', display_phone_number: '+1 555 0100', access_token: 'other' };
    await house.control('accounts', other);
    const error = await thrown(app.readFlow({ phoneNumberId: '8', accountId: '7', accessToken: 'other' }, await made()));
    expect(error).toMatchObject({ reason: 'gone' });
  });
});

const onWire = { name: 'Clone', categories: ['OTHER'] };
const reasoned = (work: Promise<unknown>) =>
  work.catch((error: ProviderRefused) => {
    throw new FlowRefused(error, flowReasonOf(error));
  });

describe('faults of the provider', () => {
  const fault = (kind: string, more: object = {}) => house.control('faults', { kind, ...more });

  test.each([
    [139000, FlowRefused, { reason: 'integrity' }],
    [190, FlowRefused, { stopsChannel: 'auth_error', reason: 'other' }],
    [131031, FlowRefused, { stopsChannel: 'restricted' }],
    [80007, ProviderBusy, { scope: 'channel', retryAfterMs: 60_000 }],
    [4, ProviderBusy, { scope: 'channel' }],
    [2, ProviderFailed, {}],
  ])('%i', async (code, kind, more) => {
    await fault('status', { code, status: 400 });
    const error = await thrown(made());
    expect(error).toBeInstanceOf(kind);
    expect(error).toMatchObject({ ...more, providerCode: String(code) });
    expect(await app.findFlows(account, metadata.name)).toEqual([]);
  });

  test('the answer to a new flow is lost after it was made: unknown, and it is found by its name', async () => {
    await fault('drop_after', { match: { method: 'POST' } });
    expect(await thrown(made())).toBeInstanceOf(ProviderUnknown);
    expect(await app.findFlows(account, metadata.name)).toHaveLength(1);
  });

  test.each(['publishFlow', 'deprecateFlow', 'deleteFlow'] as const)('the answer of %s is lost: unknown', async (call) => {
    const id = call === 'deprecateFlow' ? await published() : await put('DRAFT');
    await fault('drop_after', { match: { path: id } });
    const error = await thrown(app[call](account, id));
    expect([error, error instanceof ProviderFailed]).toEqual([expect.any(ProviderUnknown), false]);
  });

  test('what can be repeated is asked again', async () => {
    const id = await made();
    const calls = [
      () => app.updateFlow(account, id, { categories: ['other'] }),
      () => app.uploadFlowDocument(account, id, document({})),
      () => app.uploadFlowKey(account, pem()),
      () => app.readFlow(account, id),
      () => app.downloadFlowDocument(account, id),
    ];
    for (const call of calls) {
      await fault('drop_after');
      expect(await thrown(call())).toBeInstanceOf(ProviderFailed);
      await call();
    }
  });

  test('an edit of a published flow is refused where the provider is strict', async () => {
    await house.control('behaviour', { flow_edit: 'refuse' });
    const id = await published();
    expect(await thrown(app.uploadFlowDocument(account, id, document({})))).toMatchObject({ providerCode: '139001' });
    expect(await app.readFlow(account, id)).toMatchObject({ status: 'published' });
  });

  test('else it makes a draft of it', async () => {
    const id = await published();
    await app.uploadFlowDocument(account, id, document({}));
    expect(await app.readFlow(account, id)).toMatchObject({ status: 'draft' });
  });
});
