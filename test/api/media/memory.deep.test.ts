import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { openDatabase } from '../../../src/open-database.ts';
import { scopes } from '../../../src/organizations/scopes.ts';
import { createTestDatabase } from '../../support/database.ts';
import { organizationWithKey } from '../../support/factories/organization.ts';
import { collectingLog } from '../../support/log.ts';
import { mediaFolder } from '../../support/media.ts';
import { type NodeProcess, spawnNode } from '../../support/processes.ts';
import { testHashKey, testSecretKey } from '../../support/secrets.ts';
import { freePort } from '../../support/servers/child.ts';

const MiB = 2 ** 20;
const size = 100 * MiB;
/** A third of a file would show: one that is held whole takes three times as much, pieces between two collections far less. */
const growthMiB = 64;

const folder = mediaFolder();
let web: NodeProcess;
let port: number;
let key: string;
let drop: () => Promise<void>;
beforeAll(async () => {
  const created = await createTestDatabase();
  drop = created.drop;
  const { log } = collectingLog();
  const database = await openDatabase({ url: created.url, poolMax: 2, applicationName: 'kanal-test', log });
  ({ key } = await organizationWithKey(database.em(), scopes));
  await database.close();
  port = await freePort();
  web = await spawnNode('api/main.ts', {
    ...{ DATABASE_URL: created.url, SECRET_KEY: testSecretKey, HASH_KEY: testHashKey },
    ...{ HOST: '127.0.0.1', PORT: String(port), MEDIA_FOLDER: folder.path },
  });
});
afterAll(async () => {
  await web.end('SIGTERM');
  await drop();
  folder.drop();
});

const residentMiB = () => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${web.pid}/status`, 'utf8'))![1]) / 1024;

type Answer = { status: number; bytes: number; text: string };

/** In pieces, so that this process holds no file either. */
function ask(method: string, path: string, headers: Record<string, string>, pieces: Iterable<Buffer> = []): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers: { 'x-api-key': key, ...headers } },
      async (response) => {
        let [bytes, text] = [0, ''];
        for await (const piece of response) {
          bytes += piece.length;
          if (bytes < 10_000) text += piece.toString();
        }
        resolve({ status: response.statusCode!, bytes, text });
      },
    );
    sent.on('error', reject);
    const each = pieces[Symbol.iterator]();
    const send = () => {
      for (let next = each.next(); ; next = each.next()) {
        if (next.done) return void sent.end();
        if (!sent.write(next.value)) return void sent.once('drain', send);
      }
    };
    send();
  });
}

function* document(bytes: number, before = '', after = '') {
  yield Buffer.from(`${before}%PDF-1.7\n`);
  const piece = Buffer.alloc(64 * 1024, 7);
  for (let left = bytes - 9; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
  if (after) yield Buffer.from(after);
}

const form = (bytes: number) =>
  [
    { 'content-type': 'multipart/form-data; boundary=x' },
    document(bytes, '--x\r\ncontent-disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n', '\r\n--x--\r\n'),
  ] as const;
const raw = (bytes: number) => [{ 'content-type': 'application/pdf' }, document(bytes)] as const;

async function throughAndBack([headers, pieces]: ReturnType<typeof form> | ReturnType<typeof raw>, bytes: number) {
  const uploaded = await ask('POST', '/v1/media/assets', headers, pieces);
  expect([uploaded.status, JSON.parse(uploaded.text).size_bytes]).toEqual([201, bytes]);
  const path = `/v1/media/assets/${JSON.parse(uploaded.text).id}`;
  expect(await ask('GET', `${path}/content`, {})).toMatchObject({ status: 200, bytes });
  expect((await ask('DELETE', path, {})).status).toBe(204);
}

test('files of 100 MiB go through a web process whose memory stays flat, raw and in a form, up and down', async () => {
  for (const make of [raw, form]) await throughAndBack(make(8 * MiB), 8 * MiB);
  const before = residentMiB();
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, residentMiB());
  }, 20);
  for (const make of [raw, form, raw]) await throughAndBack(make(size), size);
  clearInterval(timer);
  expect(most - before).toBeLessThan(growthMiB);
}, 540_000);

test('the largest file is the largest: one byte more is refused and leaves nothing', async () => {
  const refused = await ask('POST', '/v1/media/assets', { 'content-type': 'application/pdf' }, document(size + 1));
  expect(refused.status).toBe(413);
  expect(folder.files().filter((file) => file.startsWith('.unfinished'))).toEqual([]);
}, 300_000);
