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
