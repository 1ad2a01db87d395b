import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { useApp } from '../support/app.ts';

/** What a user of the API writes with `openapi-fetch` over generated types. Runs as it is; prints what the API answered. */
const rightCalls = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

const [baseUrl, key, channel_id, to] = process.argv.slice(2) as [string, string, string, string];
const api = createClient<paths>({ baseUrl, headers: { 'X-Api-Key': key } });

const contact = await api.POST('/v1/contacts', {
  body: { phone_number: to, name: 'Ada', custom_fields: { tier: 'gold', visits: 3 } },
});
const text = await api.POST('/v1/messages', {
  body: { channel_id, to, type: 'text', text: { body: 'Hello', preview_url: false } },
});
const parameters = [{ type: 'text', text: 'Ada' }];
const template = await api.POST('/v1/messages', {
  body: { channel_id, to, type: 'template', template: { name: 'hello', language: 'en_US', components: [{ type: 'body', parameters }] } },
});
const path = { messageID: text.data!.data.id };
const read = await api.GET('/v1/messages/{messageID}', { params: { path } });
const said: unknown = read.data?.data.content['body'];
const list = await api.GET('/v1/messages', { params: { query: { limit: 1 } } });
const refused = await api.POST('/v1/messages', {
  body: { channel_id, to, type: 'text', text: { body: '' } },
});
const field: string | undefined = refused.error?.error.details?.[0]?.field;
const byUnion = (message: components['schemas']['text_message'] | components['schemas']['template_message']): string =>
  message.type === 'text' ? message.text.body : message.template.name;
const name = byUnion({ channel_id, to, type: 'text', text: { body: 'Hello' } });

console.log(JSON.stringify({
  statuses: [contact, text, template, read, list, refused].map(({ response }) => response.status),
  said,
  tier: contact.data?.data.custom_fields['tier'],
  listed: list.data?.items.length,
  field,
  name,
}));
`;

/** The CRM, read without a cast: `of…` says what the reader gets. */
const crmCalls = `
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.ts';

type Schemas = components['schemas'];
const [baseUrl, key] = process.argv.slice(2) as [string, string];
const api = createClient<paths>({ baseUrl, headers: { 'X-Api-Key': key } });

const company = await api.POST('/v1/crm/object-types/{objectKind}/records', {
  params: { path: { objectKind: 'company' } },
  body: { fields: { name: 'Analytical Engines' } },
});
const made = await api.POST('/v1/crm/deals', { body: { title: 'Roof', amount_minor: '125000', currency_code: 'EUR' } });
const noted = await api.POST('/v1/crm/tasks', {
  body: {
    title: 'Call',
    due_at: '2099-01-01T09:00:00Z',
    description_rich: { type: 'prosemirror', json: { type: 'doc', content: [{ type: 'paragraph' }] } },
    targets: [{ object_kind: 'deal', object_id: made.data!.id }, { object_kind: 'company', object_id: company.data!.id }],
  },
});

const ofDeal = (deal: Schemas['deal']): [string, number, string | null, boolean | undefined] =>
  [deal.amount_minor + ' ' + deal.currency_code, deal.minor_unit, deal.stage_id, deal.contacts[0]?.is_primary];
const ofTask = (task: Schemas['crm_task']): [string, string | undefined, string | undefined, string[]] =>
  [task.status, task.due_at, task.description_rich?.type, task.targets.map(({ object_kind }) => object_kind)];
const ofRecord = (record: Schemas['crm_record']): [string, string, unknown, number | undefined] =>
  [record.kind, record.display_name, record.fields['title'], record.relationships_summary['contacts']?.count];
const ofChange = (change: Schemas['crm_change']): [number, string, unknown] =>
  [change.revision, change.actor.split(':')[0]!, change.changes['title']?.to];

const deal = await api.GET('/v1/crm/deals/{dealID}', { params: { path: { dealID: made.data!.id } } });
const task = await api.GET('/v1/crm/tasks/{taskID}', { params: { path: { taskID: noted.data!.id } } });
const records: unknown[] = [];
for (const objectKind of ['company', 'contact', 'conversation', 'deal', 'task']) {
  const { data } = await api.GET('/v1/crm/object-types/{objectKind}/records', { params: { path: { objectKind } } });
  const [id] = data!.items.map((record) => record.id);
  const path = { objectKind, recordID: id! };
  const one = await api.GET('/v1/crm/object-types/{objectKind}/records/{recordID}', { params: { path } });
  records.push(ofRecord(one.data!));
}
const histories = [
  await api.GET('/v1/crm/deals/{dealID}/history', { params: { path: { dealID: made.data!.id } } }),
  await api.GET('/v1/crm/tasks/{taskID}/history', { params: { path: { taskID: noted.data!.id } } }),
  await api.GET('/v1/crm/object-types/{objectKind}/records/{recordID}/history', {
    params: { path: { objectKind: 'company', recordID: company.data!.id } },
  }),
];
console.log(JSON.stringify({
  deal: ofDeal(deal.data!),
  task: ofTask(task.data!),
  records,
  histories: histories.map(({ data }) => data!.items.map(ofChange)),
}));
`;

/** Each must be refused by the compiler: a line that compiles is an unused @ts-expect-error, which is an error too. */
const wrongCalls = `
import createClient from 'openapi-fetch';
import type { paths } from './schema.ts';

const api = createClient<paths>({ baseUrl: 'http://localhost' });
const [channel_id, to] = ['', ''];
export const wrong = () => [
  // @ts-expect-error: the content is missing
  api.POST('/v1/messages', { body: { channel_id, to, type: 'text' } }),
  // @ts-expect-error: the content is that of another type
  api.POST('/v1/messages', { body: { channel_id, to, type: 'text', template: { name: 'hello', language: 'en_US' } } }),
  // @ts-expect-error: a template has a language
  api.POST('/v1/messages', { body: { channel_id, to, type: 'template', template: { name: 'hello' } } }),
  // @ts-expect-error: both contents
  api.POST('/v1/messages', { body: { channel_id, to, type: 'text', text: { body: 'a' }, template: { name: 'a', language: 'en' } } }),
  // @ts-expect-error: no such type
  api.POST('/v1/messages', { body: { channel_id, to, type: 'fax', text: { body: 'a' } } }),
  // @ts-expect-error: no channel
  api.POST('/v1/messages', { body: { to, type: 'text', text: { body: 'a' } } }),
  // @ts-expect-error: no such path
  api.GET('/v1/letters', {}),
  // @ts-expect-error: the path's id is missing
  api.GET('/v1/messages/{messageID}', {}),
  // @ts-expect-error: a name is a text
  api.POST('/v1/contacts', { body: { phone_number: to, name: 42 } }),
  // @ts-expect-error: an amount is a text
  api.POST('/v1/crm/deals', { body: { title: 'Roof', amount_minor: 125000 } }),
  // @ts-expect-error: no such status
  api.POST('/v1/crm/tasks', { body: { title: 'Call', status: 'waiting' } }),
  // @ts-expect-error: the kind is missing
  api.GET('/v1/crm/object-types/{objectKind}/records', {}),
];
`;

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const app = useApp();
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kanal-client-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const generator = join(root, 'test/support/children/generate-types.ts');
  const { stdout } = await run(process.execPath, [generator, join(root, 'openapi.json')], { maxBuffer: 16 * 1024 * 1024 });
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2024',
    types: ['node'],
    skipLibCheck: true,
  };
  const files = {
    'package.json': JSON.stringify({ type: 'module' }),
    'tsconfig.json': JSON.stringify({ compilerOptions: { ...compilerOptions, allowImportingTsExtensions: true } }),
    'schema.ts': stdout,
    'right-calls.ts': rightCalls,
    'crm-calls.ts': crmCalls,
    'wrong-calls.ts': wrongCalls,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('types generated from the document compile right calls and refuse wrong ones', async () => {
  const compiler = join(root, 'node_modules/typescript/bin/tsc');
  const faults = await run(process.execPath, [compiler, '-p', folder]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  );
  expect(faults).toBe('');
});

test('the right calls are what the running API takes and answers', async () => {
  const channel = await app.connect();
  await app.storeTemplates(channel);
  const { phone } = await app.conversation(channel);
  const argv = [app.base, channel.tenant.key, channel.id, `+${phone}`];
  const { stdout } = await run(process.execPath, [join(folder, 'right-calls.ts'), ...argv]);
  expect(JSON.parse(stdout)).toEqual({
    statuses: [200, 201, 201, 200, 200, 422],
    said: 'Hello',
    tier: 'gold',
    listed: 1,
    field: 'text.body',
    name: 'Hello',
  });
});

test('a deal, a task, a record of each kind and their histories are read without a cast', async () => {
  const channel = await app.connect();
  const { key } = channel.tenant;
  const conversation = await app.conversation(channel);
  await app.call('contacts.update', { key, params: { contactID: conversation.contactId }, body: { name: 'Ada' } });
  const { stdout } = await run(process.execPath, [join(folder, 'crm-calls.ts'), app.base, key]);
  const { deal, task, records, histories } = JSON.parse(stdout);
  expect(deal).toEqual(['125000 EUR', 2, null, null]);
  expect(task).toEqual(['open', '2099-01-01T09:00:00.000Z', 'prosemirror', ['deal', 'company']]);
  expect(records).toEqual([
    ['company', 'Analytical Engines', null, 0],
    ['contact', 'Ada', null, null],
    ['conversation', expect.stringMatching(/^Ada, /), null, null],
    ['deal', 'Roof', 'Roof', null],
    ['task', 'Call', 'Call', null],
  ]);
  expect(histories).toEqual([[[1, 'key', 'Roof']], [[1, 'key', 'Call']], [[1, 'key', null]]]);
});
