import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Body, type Channel, type Tenant, useApp } from '../../support/app.ts';
import { storedTemplates } from '../../support/stored/messaging.ts';
import { ago } from '../../support/stored/times.ts';
import { approved, asked, body, definition, statusUpdates, templateIs, templateOf } from '../../support/templates.ts';
import { waitFor } from '../../support/wait-for.ts';

const app = useApp({ workers: true });
let channel: Channel;
let stranger: Tenant;
beforeAll(async () => {
  channel = await app.connect();
  stranger = await app.organization();
});

const edit = (templateID: string, change: object, headers: Record<string, string> = {}) =>
  app.call('templates.update', { params: { templateID }, body: change, headers });
const remove = (templateID: string, headers: Record<string, string> = {}) =>
  app.call('templates.delete', { params: { templateID }, headers });
const edits = async ({ provider_template_id: id }: Body): Promise<Body[]> =>
  (await app.control('GET', `/requests?method=POST&path=/${id}`)).requests;
const components = [body('Good day {{1}}, welcome.')];

describe('edit', () => {
  test('of an approved one: the old content stays until the provider has taken the new', async () => {
    const template = await approved(app, channel);
    await app.control('POST', '/faults', {
      kind: 'delay',
      delay_ms: 1_500,
      match: { path: `/${template.provider_template_id}`, method: 'POST' },
    });
    const { status, headers, body: asIs } = await edit(template.id, { components });
    expect([status, headers.has('operation-id')]).toEqual([200, true]);
    expect(asIs).toMatchObject({ status: 'approved', doing: 'edit', change: { components }, components: template.components });
    const again = await edit(template.id, { components });
    expect([again.status, again.body.error.code]).toEqual([409, 'conflict']);
    expect(await templateIs(app, template.id, { doing: null, status: 'approved', change: null })).toMatchObject({ components });
    expect((await edits(template)).map((request) => request.body)).toEqual([{ components }]);
    const told = (await statusUpdates(app, template.id)).flatMap(({ changed }) => changed);
    expect(told).toContain('components');
  });

  test('of an approved one: once in 24 hours, ten times in 30 days, and not its category', async () => {
    const { id } = await approved(app, channel);
    const category = await edit(id, { category: 'marketing' });
    expect([category.status, category.body.error.details[0].field]).toEqual([422, 'category']);
    expect((await edit(id, { components }, { prefer: 'wait=10' })).status).toBe(200);
    await templateIs(app, id, { status: 'approved', doing: null });
    const soon = await edit(id, { components });
    expect([soon.status, soon.body.error.code, soon.body.error.message]).toEqual([
      422,
      'limit_reached',
      'The provider takes one edit of an approved template in 24 hours',
    ]);
    const days = (list: number[]) => list.map((day) => ago(day, 'day'));
    await storedTemplates.change(app, id, { approved_edits: days([29, 28, 20, 19, 18, 17, 16, 5, 4, 3]) });
    expect((await edit(id, { components })).body.error.code).toBe('limit_reached');
    await storedTemplates.change(app, id, { approved_edits: days([31, 28, 20, 19, 18, 17, 16, 5, 4, 3]) });
    expect((await edit(id, { components })).status).toBe(200);
    await templateIs(app, id, { status: 'approved', doing: null });
  });

  test.each(['pending', 'disabled'])('of one that is %s: 409, and nothing is asked', async (status) => {
    const template = await approved(app, channel);
    await storedTemplates.change(app, template.id, { status });
    const { status: answer, body: refused } = await edit(template.id, { components });
    expect([answer, refused.error.message]).toEqual([409, expect.stringContaining(`A template that is ${status}`)]);
    expect([await edits(template), (await templateOf(app, template.id)).doing]).toEqual([[], null]);
  });

  test('of one that was rejected: its category too', async () => {
    const template = await approved(app, channel);
    await app.control('POST', '/templates', { id: template.provider_template_id, status: 'REJECTED', reason: 'SCAM' });
    await templateIs(app, template.id, { status: 'rejected', reason: 'SCAM' });
    expect((await edit(template.id, { category: 'marketing' }, { prefer: 'wait=10' })).status).toBe(200);
    expect(await templateIs(app, template.id, { status: 'approved', reason: '' })).toMatchObject({
      category: 'marketing',
      previous_category: 'utility',
      components: template.components,
    });
  });

  test('refused: all stays as it was, with the reason, and a new edit takes its place', async () => {
    const template = await approved(app, channel);
    const match = { path: `/${template.provider_template_id}`, method: 'POST' };
    await app.control('POST', '/faults', { kind: 'status', status: 400, code: 100, match });
    expect((await edit(template.id, { components }, { prefer: 'wait=10' })).body.error.code).toBe('provider_refused');
    const refused = await templateOf(app, template.id);
    expect(refused).toMatchObject({ status: 'approved', components: template.components, change: { components }, doing: null });
    expect(refused.failure).toMatchObject({ code: 'provider_refused', provider_code: '100' });
    expect((await statusUpdates(app, template.id)).at(-1)).toMatchObject({ status: 'approved', changed: ['failure'] });
    const better = [body('Dear {{1}}, welcome.')];
    await edit(template.id, { components: better }, { prefer: 'wait=10' });
    expect(await templateIs(app, template.id, { status: 'approved', change: null })).toMatchObject({
      components: better,
      failure: null,
    });
  });

  test.each([{}, { components: [] }, { name: 'other' }, { category: 'news' }, { components: [body('{{2}} is a hole.')] }])(
    '%j: 422, and nothing is written',
    async (change) => {
      const template = await approved(app, channel);
      expect((await edit(template.id, change)).status).toBe(422);
      expect(await templateOf(app, template.id)).toEqual(template);
    },
  );
});

describe('delete', () => {
  test('it can be sent no more at once, and is deleted at the provider, in its language alone', async () => {
    const own = await app.connect();
    const [one, other] = [await approved(app, own, { name: 'bye' }), await approved(app, own, { name: 'bye', language: 'id' })];
    await app.control('POST', '/faults', {
      kind: 'delay',
      delay_ms: 1_500,
      match: { path: 'message_templates', method: 'DELETE' },
    });
    const { status, headers, text } = await remove(one.id);
    expect([status, text]).toEqual([204, '']);
    expect((await app.call('templates.get', { params: { templateID: one.id } })).status).toBe(404);
    expect((await app.call('templates.list', { query: { channel_id: own.id, search: 'bye' } })).body.items).toHaveLength(1);
    const template = {
      name: 'bye',
      language: 'en_US',
      components: [{ type: 'body', parameters: [{ type: 'text', text: 'A' }] }],
    };
    const sent = await app.text(own, app.phone(), { type: 'template', text: undefined, template });
    expect([sent.status, sent.body.error.code]).toEqual([422, 'template_unknown']);
    expect((await remove(one.id)).status).toBe(404);
    expect((await edit(one.id, { components })).status).toBe(404);
    const params = { operationID: headers.get('operation-id')! };
    await waitFor('the end', async () => (await app.call('operations.get', { params })).body.status === 'succeeded');
    expect(await storedTemplates.all(app, { channel_id: own.id, name: 'bye' }, { columns: ['id'] })).toEqual([{ id: other.id }]);
    expect((await statusUpdates(app, one.id)).at(-1)).toMatchObject({ status: 'disabled', changed: ['status'] });
    await app.call('templates.sync', { params: { channelID: own.id }, headers: { prefer: 'wait=10' } });
    expect(await templateOf(app, other.id)).toMatchObject({ status: 'approved' });
    expect((await app.call('templates.list', { query: { channel_id: own.id, search: 'bye' } })).body.items).toHaveLength(1);
  });

  test('a draft that the provider refused is deleted here alone', async () => {
    const own = await app.connect();
    const match = { path: `${own.wabaId}/message_templates`, method: 'POST' };
    await app.control('POST', '/faults', { kind: 'status', status: 400, code: 100, match });
    const { id } = (await app.call('templates.create', { body: definition(own) })).body;
    await templateIs(app, id, { status: 'rejected' });
    expect((await remove(id, { prefer: 'wait=10' })).status).toBe(204);
    expect(await storedTemplates.count(app, id)).toBe(0);
    expect((await asked(app, own)).map(([method]) => method)).toEqual(['POST']);
  });

  test('refused: it is shown again, with the reason', async () => {
    const own = await app.connect();
    const template = await approved(app, own);
    const match = { path: `${own.wabaId}/message_templates`, method: 'DELETE' };
    await app.control('POST', '/faults', { kind: 'status', status: 403, code: 200, match });
    const { status, body: refused } = await remove(template.id, { prefer: 'wait=10' });
    expect([status, refused.error.code]).toEqual([422, 'provider_refused']);
    expect(await templateOf(app, template.id)).toMatchObject({ status: 'approved', failure: { provider_code: '200' } });
    expect((await statusUpdates(app, template.id)).at(-1)).toMatchObject({ status: 'approved', changed: ['failure'] });
  });

  test("another organization's, nobody's, or no id: 404, and it stays", async () => {
    const template = await approved(app, channel);
    for (const [templateID, key] of [
      [template.id, stranger.key],
      ['0193ffff-3a0e-7cc4-8f4e-0242ac120004', app.tenant.key],
      ['x', app.tenant.key],
    ]) {
      expect((await app.call('templates.delete', { params: { templateID: templateID! }, key })).status).toBe(404);
      const change = { params: { templateID: templateID! }, key, body: { components } };
      expect((await app.call('templates.update', change)).status).toBe(404);
    }
    expect(await templateOf(app, template.id)).toEqual(template);
  });
});
