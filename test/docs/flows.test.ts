import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cleanEnvironment } from '../cli/command.ts';
import { type Channel, useApp } from '../support/app.ts';
import { definitions } from '../support/contract.ts';
import { askByPhone, flowWithEndpoint, giveKey, type OpenedForm, sendFlow } from '../support/flow-exchange.ts';
import { freePort } from '../support/servers/child.ts';
import { storedFlows } from '../support/stored/flows.ts';
import { waitFor } from '../support/wait-for.ts';

const text = readFileSync('docs/flows.md', 'utf8');
const [, code] = /```js\n([\s\S]*?)```/.exec(text)!;
const app = useApp();
const folder = mkdtempSync(join(tmpdir(), 'kanal-flow-endpoint-'));
let server: ChildProcess;
let channel: Channel;
let form: OpenedForm;

beforeAll(async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/flow`;
  channel = await app.connect();
  await giveKey(app, channel);
  const flowID = await flowWithEndpoint(app, channel, url);
  form = await sendFlow(app, channel, flowID, 'order-4711');
  const { secret } = (await app.call('flows.data-exchange.rotate-secret', { params: { flowID } })).body;
  writeFileSync(join(folder, 'endpoint.mjs'), code!);
  server = spawn(process.execPath, ['endpoint.mjs'], {
    cwd: folder,
    env: { ...cleanEnvironment(), SECRET: secret, PORT: String(port) },
    stdio: 'inherit',
  });
  await waitFor('the endpoint', async () => (await fetch(url, { method: 'POST' }).catch(() => undefined))?.status === 401);
});
afterAll(() => {
  server.kill();
  rmSync(folder, { recursive: true });
});

const ask = async (action: string, screen?: string, data?: object) => {
  const { status, reply } = await askByPhone(app, channel, { action, screen, data, flow_token: form.token });
  return [status, reply];
};

describe("the endpoint's code in docs/flows.md", () => {
  test('has at most 40 lines that are no comment and not empty', () => {
    const lines = code!.split('\n').filter((line) => line.trim() && !/^\s*(\/\/|\/\*)/.test(line));
    expect(lines.length).toBeLessThanOrEqual(40);
  });

  test('leads from screen to screen to the answer, once', async () => {
    expect(await ask('INIT')).toEqual([200, { screen: 'DAY', data: { days: ['2026-12-01', '2026-12-02'] } }]);
    expect(await ask('data_exchange', 'DAY', {})).toEqual([200, { screen: 'DAY', data: { error_message: 'Choose a day' } }]);
    const [status, people] = await ask('data_exchange', 'DAY', { day: '2026-12-01' });
    expect([status, people.screen, people.data.day]).toEqual([200, 'PEOPLE', '2026-12-01']);
    const params = { flow_token: form.token, day: '2026-12-01', people: '2' };
    expect(await ask('data_exchange', 'PEOPLE', { day: '2026-12-01', people: '2' })).toEqual([
      200,
      { screen: 'SUCCESS', data: { extension_message_response: { params } } },
    ]);
    expect(await ask('data_exchange', 'PEOPLE', {})).toEqual([427, { error_msg: 'This table is booked already' }]);
  });

  test('takes nothing without a signature', async () => {
    const { data_exchange_url: url } = await storedFlows.one(app, { channel_id: channel.id });
    const headers = {
      'webhook-id': 'a',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,AAAA',
    };
    expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(401);
  });
});

test('the form of docs/flows.md is one that the provider takes', async () => {
  const [, given] = /\/v1\/flows -H [^\n]*-d '(\{[\s\S]*?\})' \| id id\)\n/.exec(text)!;
  const body = JSON.parse(given!.replace(`'$CHANNEL'`, channel.id));
  const { status, body: made } = await app.call('flows.create', { body });
  expect([status, made.validation_errors]).toEqual([201, []]);
});

test('each path in docs/flows.md is one of the document', () => {
  const named = [...text.matchAll(/\$KANAL(\/v1\/[^\s"?]*)/g)].map(([, path]) =>
    path!.replace(/\$FLOW/, ':flowID').replace(/\$CHANNEL/, ':channelID'),
  );
  expect(named.length).toBeGreaterThan(8);
  const known = new Set(definitions.map(({ path }) => path));
  expect(named.filter((path) => !known.has(path))).toEqual([]);
});
