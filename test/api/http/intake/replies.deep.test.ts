import { EventEmitter } from 'node:events';
import { expect, test } from '@jest/globals';
import type { Response } from 'express';
import { createReplies } from '../../../../api/http/intake/replies.ts';
import { useApp } from '../../../support/app.ts';
import { rawRequest } from '../../../support/raw-request.ts';
import { storedContacts } from '../../../support/stored/contacts.ts';
import { waitFor } from '../../../support/wait-for.ts';

const kibi = 1024;
const refusal = expect.objectContaining({ code: 'unavailable', retryAfterSeconds: 1 });
const bounds = { repliesMaxBytes: 400 * kibi, repliesOrganizationMaxBytes: 200 * kibi };
const reply = (organizationId?: string, { isRead = true, ...more }: { isRead?: boolean; destroyed?: boolean } = {}) =>
  Object.assign(new EventEmitter(), {
    req: { ip: '192.0.2.1' },
    locals: { isRead, ...(organizationId && { caller: { organizationId } }) },
    ...more,
  }) as unknown as Response;

test('large replies are counted by organization and in all until they are over', () => {
  const hold = createReplies(bounds);
  const first = reply('one');
  hold(first, 150 * kibi);
  expect(() => hold(reply('one'), 100 * kibi)).toThrow(refusal);
  hold(reply('two'), 150 * kibi);
  expect(() => hold(reply('three'), 150 * kibi)).toThrow(refusal);
  expect(() => hold(reply(), 150 * kibi)).toThrow(refusal);
  first.emit('close');
  hold(reply('one'), 200 * kibi);
});

test('small replies, and those of writes, cost nothing and are not refused', () => {
  const hold = createReplies(bounds);
  hold(reply('one'), 200 * kibi);
  for (let times = 0; times < 10; times += 1) hold(reply('one'), 64 * kibi);
  hold(reply('one', { isRead: false }), 300 * kibi);
});

test('a reply whose connection is closed already holds nothing', () => {
  const hold = createReplies(bounds);
  hold(reply('one', { destroyed: true }), 200 * kibi);
  hold(reply('one'), 200 * kibi);
});

test('one reply that is larger than the share has room when it is alone', () => {
  const hold = createReplies(bounds);
  hold(reply('one'), 900 * kibi);
  expect(() => hold(reply('one'), 100 * kibi)).toThrow(refusal);
});

const app = useApp({ env: { REPLIES_ORGANIZATION_MAX_BYTES: String(4 * kibi * kibi) } });

test('pages a client does not read are bounded; small replies and other organizations go on', async () => {
  const [tenant, other] = [await app.organization(), await app.organization()];
  for (const { organizationId } of [tenant, other])
    await storedContacts.addMany(app, 100, (n) => ({
      organization_id: organizationId,
      name: `P${n}`,
      phone_number: '',
      custom_fields: { a: 'x'.repeat(16_000) },
    }));
  const page = ({ key }: { key: string }) => app.call('contacts.list', { key, query: { limit: 100 } });
  expect((await page(tenant)).status).toBe(200);
  const request = [`GET /v1/contacts?limit=100 HTTP/1.1`, `X-Api-Key: ${tenant.key}`];
  const again = `${request.join('\r\n')}\r\nHost: test\r\n\r\n`;
  const unread = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const { socket } = await rawRequest(app.base, request);
      return socket.pause();
    }),
  );
  let refused!: Awaited<ReturnType<typeof page>>;
  const isFull = async () => {
    refused = await page(tenant);
    // One more on each: how much the system takes of a reply nobody reads is its own affair.
    for (const socket of unread) socket.write(again);
    return refused.status === 503;
  };
  await waitFor('its share to be full', isFull);
  expect([refused.status, refused.body.error.code, refused.headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
  expect((await app.call('contacts.list', { key: tenant.key, query: { limit: 1 } })).status).toBe(200);
  expect((await page(other)).status).toBe(200);
  for (const socket of unread) socket.destroy();
  await waitFor('its share to be free', async () => (await page(tenant)).status === 200);
});
