import { expect, test } from '@jest/globals';
import { authored, clientFor } from '../../conformance/client.ts';
import { type Body, type Channel, useApp } from '../../support/app.ts';
import { screen, visual } from '../../support/flow-bodies.ts';
import { document, doneBy, draft, unpaced } from '../../support/flow-moves.ts';
import { storedFlows } from '../../support/stored/flows.ts';

const app = useApp({ workers: true });

const importOf = (channel: Channel) =>
  app.call('flows.import', { body: { channel_id: channel.id }, headers: { prefer: 'wait=20' } });

test('all that the provider has, each once', async () => {
  const channel = await unpaced(app);
  for (const [name, status] of [
    ['One', 'PUBLISHED'],
    ['Two', 'DRAFT'],
  ])
    await app.control('POST', '/flows', { waba_id: channel.wabaId, name, status, flow_json: document(name!) });
  expect((await importOf(channel)).status).toBe(200);
  expect((await importOf(channel)).status).toBe(200);
  const { items } = (
    await app.call('flows.list', { query: { filters: JSON.stringify([{ field: 'channel_id', value: channel.id }]) } })
  ).body;
  expect(items.map(({ name, status, has_local_changes }: Body) => [name, status, has_local_changes]).sort()).toEqual([
    ['One', 'published', false],
    ['Two', 'draft', false],
  ]);
  const flow = await doneBy(app, items[0].id, 'sync');
  expect(flow).toMatchObject({ version: 1, drift: null, flow_json: { version: '7.2' } });
});

test('one that another client library deployed is read, into screens where a builder can show it', async () => {
  const channel = await unpaced(app);
  const { flows } = clientFor({ url: app.sandboxUrl }, channel.accessToken);
  const components = [
    { id: 'name', type: 'text_input', label: 'Your name', helper_text: 'As in your passport', required: true },
    { id: 'size', type: 'radio', label: 'Size', options: [{ id: 's', label: 'Small' }] },
  ];
  const actions = [{ label: 'Next', type: 'navigate', target: 'SECOND' }];
  const last = [{ id: 'note', type: 'text_area', label: 'A note' }];
  const screens = [screen('FIRST', { components, actions }), screen('SECOND', { components: last })];
  const { flow_json: built } = (await app.call('flows.compile', { body: { builder_json: visual(screens) } })).body;
  for (const [name, flowJson] of Object.entries({ Built: built, Own: document('Own') }))
    await flows.deploy(authored(flowJson) as never, { wabaId: channel.wabaId, name, publish: true });
  expect((await importOf(channel)).status).toBe(200);

  const rows = await storedFlows.all(app, { account_id: channel.wabaId }, { columns: ['id'], orderBy: 'name' });
  const [first, second] = await Promise.all(rows.map(async ({ id }) => doneBy(app, id, 'sync')));
  const faultless = { status: 'published', has_local_changes: false, validation_errors: [], drift: null };
  expect(first).toMatchObject({
    name: 'Built',
    ...faultless,
    flow_json: built,
    builder_json: { mode: 'visual', flow: { screens } },
  });
  expect(second).toMatchObject({ name: 'Own', ...faultless, flow_json: document('Own'), builder_json: { mode: 'json' } });
  expect(second!.flow_json).toEqual(document('Own'));
});

test('one whose name a draft here has is left out, and the operation says so', async () => {
  const channel = await unpaced(app);
  await draft(app, channel, { name: 'Taken' });
  for (const name of ['taken', 'Free'])
    await app.control('POST', '/flows', { waba_id: channel.wabaId, name, flow_json: document(name) });
  const reply = await importOf(channel);
  expect([reply.status, reply.body.error.code]).toEqual([409, 'conflict']);
  const names = await storedFlows.all(app, { account_id: channel.wabaId }, { columns: ['name'], orderBy: 'name' });
  expect(names.map(({ name }) => name)).toEqual(['Free', 'Taken']);
});

test('of two whose names differ only by case one is left out, and the words hold for it, too', async () => {
  const channel = await unpaced(app);
  for (const name of ['Twice', 'TWICE'])
    await app.control('POST', '/flows', { waba_id: channel.wabaId, name, flow_json: document(name) });
  const { status, body } = await importOf(channel);
  expect([status, body.error.message]).toEqual([409, expect.stringContaining('names are those of flows here')]);
  expect(body.error.message).not.toContain('draft');
  expect(body.error.message).toContain('at the provider');
});

test('a channel that is not here: 404; what is no id: 422', async () => {
  const other = await app.connect({ tenant: await app.organization() });
  for (const [channel_id, status] of [
    [other.id, 404],
    ['nonsense', 422],
  ])
    expect((await app.call('flows.import', { body: { channel_id } })).status).toBe(status);
});

test('a document with a NUL, which the database cannot hold, is left out; the others come', async () => {
  const channel = await unpaced(app);
  const whole = document('Whole');
  const bad = { ...whole, note: 'a\u0000b' };
  await app.control('POST', '/flows', { waba_id: channel.wabaId, name: 'Bad', flow_json: bad });
  await app.control('POST', '/flows', { waba_id: channel.wabaId, name: 'Whole', flow_json: whole });
  const reply = await importOf(channel);
  expect(reply.body.error).toMatchObject({ code: 'provider_refused' });
  expect(reply.body.error.message).toContain('Bad');
  const names = await storedFlows.all(app, { account_id: channel.wabaId }, { columns: ['name'] });
  expect(names).toEqual([{ name: 'Whole' }]);
});

test('a document that has got a NUL there: the sync is refused, and what is here stays', async () => {
  const channel = await unpaced(app);
  const { id: providerId } = await app.control('POST', '/flows', {
    waba_id: channel.wabaId,
    name: 'Turns bad',
    flow_json: document('Good'),
  });
  expect((await importOf(channel)).status).toBe(200);
  const [{ id }] = await storedFlows.all(app, { account_id: channel.wabaId }, { columns: ['id'] });
  await app.control('POST', `/flows/${providerId}/edit`, {
    flow_json: { ...document('Good'), note: 'a\u0000b' },
    keeps_status: true,
  });
  const reply = await app.call('flows.sync', { params: { flowID: id }, headers: { prefer: 'wait=20' } });
  expect(reply.body.error).toMatchObject({ code: 'provider_refused' });
  expect((await app.call('flows.get', { params: { flowID: id } })).body.flow_json).toEqual(document('Good'));
});
