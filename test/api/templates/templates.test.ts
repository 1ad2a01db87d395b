import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Channel, type Tenant, useApp } from '../../support/app.ts';
import { storedChannels } from '../../support/stored/channels.ts';
import { approved, asked, body, definition, statusUpdates, templateIs } from '../../support/templates.ts';

const app = useApp({ workers: true });
let channel: Channel;
let stranger: Tenant;
const nobody = '0193ffff-3a0e-7cc4-8f4e-0242ac120004';

beforeAll(async () => {
  channel = await app.connect();
  stranger = await app.organization();
});

const create = (more: object = {}, headers: Record<string, string> = {}, on = channel) =>
  app.call('templates.create', { body: definition(on, more), headers });
const list = async (query: Record<string, string | number | boolean>) => (await app.call('templates.list', { query })).body;
const namesOf = (page: { items: { name: string }[] }) => page.items.map(({ name }) => name).sort();

describe('create', () => {
  test('a draft at once, then submitted, reviewed, told and fit to be sent', async () => {
    const components = [
      { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}', example: { header_text: ['A-1'] } },
      body('Hi {{1}}, order {{2}} is here.', { body_text: [['Ada', 'A-1']] }),
      { type: 'FOOTER', text: 'Kanal' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Open', url: 'https://example.com/{{1}}', example: ['a'] }] },
    ];
    const own = await app.connect();
    const { status, headers, body: draft } = await create({ name: 'shipped', components }, {}, own);
    expect([status, headers.get('location')]).toEqual([201, `/v1/templates/${draft.id}`]);
    expect(draft).toMatchObject({
      channel_id: own.id,
      status: 'draft',
      doing: 'submit',
      provider_template_id: '',
      failure: null,
    });
    const template = await templateIs(app, draft.id, { status: 'approved', doing: null });
    expect(template).toMatchObject({
      name: 'shipped',
      category: 'utility',
      components,
      parameter_format: 'positional',
      reason: '',
    });
    expect(template.provider_template_id).toMatch(/^\d+$/);
    const wire = { name: 'shipped', language: 'en_US', category: 'UTILITY', parameter_format: 'POSITIONAL', components };
    expect(await asked(app, own)).toEqual([['POST', wire, 200]]);
    const updates = await statusUpdates(app, draft.id);
    expect(updates.at(-1)).toEqual({
      ...{ template_id: draft.id, status: 'approved', changed: ['status'], category: 'utility', quality: '', reason: '' },
    });
    const operation = await app.call('operations.get', { params: { operationID: headers.get('operation-id')! } });
    expect(operation.body).toMatchObject({ name: 'templates.submit', subject: { type: 'template', id: draft.id } });
    const text = (value: string) => ({ type: 'text', text: value });
    const sent = await app.text(own, app.phone(), {
      ...{ type: 'template', text: undefined },
      template: {
        ...{ name: 'shipped', language: 'en_US' },
        components: [
          { type: 'header', parameters: [text('A-1')] },
          { type: 'body', parameters: [text('Ada'), text('A-1')] },
          { type: 'button', sub_type: 'url', index: 0, parameters: [text('a')] },
        ],
      },
    });
    expect(sent.status).toBe(201);
    await app.messageIn(sent.body.data.id, 'read');
  });

  test('with Prefer: wait it answers with what the provider has', async () => {
    const { status, headers, body: template } = await create({}, { prefer: 'wait=10' });
    expect([status, headers.get('preference-applied')]).toEqual([201, 'wait=10']);
    expect(['pending', 'approved']).toContain(template.status);
    expect(template.provider_template_id).not.toBe('');
  });

  test('refused by the provider: rejected, in its words, told; changed it is submitted again', async () => {
    const own = await app.connect();
    const fault = { kind: 'status', status: 400, code: 100, match: { path: `${own.wabaId}/message_templates`, method: 'POST' } };
    await app.control('POST', '/faults', fault);
    const { status, body: template } = await create({}, { prefer: 'wait=10' }, own);
    const { id, reason: message } = template;
    expect([status, message]).toEqual([201, expect.stringContaining('Invalid parameter')]);
    expect(template).toMatchObject({ status: 'rejected', doing: null, provider_template_id: '' });
    expect(template.failure).toEqual({ code: 'provider_refused', provider_code: '100', message });
    expect(await statusUpdates(app, id)).toMatchObject([{ status: 'rejected', changed: ['status', 'failure'], reason: message }]);
    const components = [body('Better, {{1}}, is this.')];
    const again = await app.call('templates.update', { params: { templateID: id }, body: { components } });
    expect(again.body).toMatchObject({ status: 'draft', failure: null, components });
    await templateIs(app, id, { status: 'approved', reason: '' });
    expect((await asked(app, own)).map(([, sent, answer]) => [sent.components[0].text, answer])).toEqual([
      ['Hi {{1}}, welcome.', 400],
      ['Better, {{1}}, is this.', 200],
    ]);
  });

  test('rejected by the reviewer, with the reason', async () => {
    const own = await app.connect();
    await app.control('POST', '/behaviour', { template_review: 'REJECTED' });
    try {
      const { id } = (await create({}, {}, own)).body;
      expect(await templateIs(app, id, { status: 'rejected' })).toMatchObject({ reason: 'INVALID_FORMAT', failure: null });
      expect((await statusUpdates(app, id)).at(-1)).toMatchObject({ changed: ['status', 'reason'], reason: 'INVALID_FORMAT' });
    } finally {
      await app.control('POST', '/behaviour', { template_review: 'APPROVED' });
    }
  });

  test('a name that the channel has in this language: 409; in another language it is a template of its own', async () => {
    const first = await create({ name: 'twice' });
    const second = await create({ name: 'twice' });
    expect([first.status, second.status, second.body.error.code]).toEqual([201, 409, 'conflict']);
    expect((await create({ name: 'twice', language: 'id' })).status).toBe(201);
  });

  test('the same Idempotency-Key makes one', async () => {
    const once = definition(channel);
    const ask = () => app.call('templates.create', { body: once, headers: { 'idempotency-key': 'template-1' } });
    const [first, second] = [await ask(), await ask()];
    expect([first.body.id, second.headers.get('idempotent-replayed')]).toEqual([second.body.id, 'true']);
  });

  test("on a channel that cannot reach the provider, nobody's, or another organization's: nothing is made", async () => {
    const away = await app.connect();
    await storedChannels.change(app, away.id, { status: 'auth_error' });
    await app.settled();
    const before = await app.counts();
    expect((await create({}, {}, away)).body.error).toMatchObject({ code: 'conflict' });
    expect((await create({ channel_id: nobody })).status).toBe(404);
    const theirs = await app.call('templates.create', { key: stranger.key, body: definition(channel) });
    expect([theirs.status, theirs.body.error.message]).toEqual([404, 'Channel not found']);
    await app.settled();
    expect(await app.counts()).toEqual(before);
  });

  test('a token that is no longer valid stops the channel; the template is no less good for it', async () => {
    const own = await app.connect();
    const fault = { kind: 'status', status: 401, code: 190, match: { path: `${own.wabaId}/message_templates`, method: 'POST' } };
    await app.control('POST', '/faults', fault);
    const { body: template } = await create({}, { prefer: 'wait=10' }, own);
    expect(template).toMatchObject({ status: 'draft', failure: { provider_code: '190' } });
    expect((await app.call('channels.get', { params: { channelID: own.id } })).body.status).toBe('auth_error');
  });
});

describe('list and get', () => {
  let own: Channel;
  beforeAll(async () => {
    own = await app.connect({ account: { templates: [] } });
    await approved(app, own, { name: 'spring_sale', category: 'marketing' });
    await approved(app, own, { name: 'winter_sale', category: 'marketing', language: 'id' });
    await approved(app, own, { name: 'receipt' });
  });

  test.each([
    [{}, ['receipt', 'spring_sale', 'winter_sale']],
    [{ category: 'marketing' }, ['spring_sale', 'winter_sale']],
    [{ language: 'id' }, ['winter_sale']],
    [{ status: 'approved' }, ['receipt', 'spring_sale', 'winter_sale']],
    [{ status: 'paused' }, []],
    [{ search: 'SALE wint' }, ['winter_sale']],
    [{ search: '_' }, ['spring_sale', 'winter_sale']],
    [{ search: '%' }, []],
  ])('with %j', async (filter, names) => {
    expect(namesOf(await list({ channel_id: own.id, ...filter } as Record<string, string>))).toEqual(names);
  });

  test('newest first, by pages, and no page of other filters', async () => {
    const query = { channel_id: own.id, limit: 2, include_total: true };
    const first = await list(query);
    expect([first.meta.total, first.items.map(({ name }: { name: string }) => name)]).toEqual([3, ['receipt', 'winter_sale']]);
    const second = await list({ ...query, cursor: first.meta.next_cursor });
    expect([second.meta.has_more, namesOf(second)]).toEqual([false, ['spring_sale']]);
    const other = await app.call('templates.list', { query: { cursor: first.meta.next_cursor, status: 'approved' } });
    expect(other.status).toBe(400);
  });

  test("get: one's own only", async () => {
    const [{ id: templateID }] = (await list({ channel_id: own.id })).items;
    expect((await app.call('templates.get', { params: { templateID } })).body.id).toBe(templateID);
    expect((await app.call('templates.get', { params: { templateID }, key: stranger.key })).status).toBe(404);
    for (const id of [nobody, 'x']) expect((await app.call('templates.get', { params: { templateID: id } })).status).toBe(404);
    expect((await app.call('templates.list', { key: stranger.key })).body.items).toEqual([]);
  });
});
