import { expect, test } from '@jest/globals';
import { retryJob } from '../../../src/platform/ledger/retry.ts';
import { blockContact } from '../../../workers/contacts/block-contact.ts';
import { unblockContact } from '../../../workers/contacts/unblock-contact.ts';
import { type Channel, useApp } from '../../support/app.ts';
import { waitFor } from '../../support/wait-for.ts';
import { blockRows, contactRows } from '../../support/work/contacts.ts';
import { eventRows } from '../../support/work/events.ts';
import { jobRows } from '../../support/work/jobs.ts';
import { runAgain } from '../../support/work/operations.ts';

const app = useApp({ workers: true });
const prefer = { prefer: 'wait=10' };
const change = (what: 'block' | 'unblock', channel: Channel, phone: string) =>
  app.call(`contacts.${what}`, { body: { channel_id: channel.id, phone }, headers: prefer });
const asked = async ({ phoneNumberId }: Channel): Promise<string[]> =>
  (await app.control('GET', `/requests?path=${phoneNumberId}/block_users`)).requests.map(
    ({ method }: { method: string }) => method,
  );
const rowOf = (channel: Channel) => blockRows.one(app, { channel_id: channel.id });
const updates = async (contactId: string) =>
  (await app.events(contactId)).filter(({ data }) => data.changed?.includes('blocks')).length;

/** The job as it stood, to be run once more. */
const again = (id: string) => runAgain(app, id);

test.each([
  ['block', blockContact],
  ['unblock', unblockContact],
] as const)('%s: a run of what has been done asks and tells nothing more', async (what, { contract }) => {
  const channel = await app.connect();
  const phone = `+${app.phone()}`;
  const { headers } = await change(what, channel, phone);
  const before = await rowOf(channel);
  expect(before.status).toBe(`${what}ed`);
  const { name } = await jobRows.one(app, headers.get('operation-id')!, ['name']);
  expect(name).toBe(contract.name);
  await again(headers.get('operation-id')!);
  expect(await rowOf(channel)).toEqual(before);
  expect(await asked(channel)).toEqual([what === 'block' ? 'POST' : 'DELETE']);
  expect(await updates(before.contact_id)).toBe(1);
});

test('a worker that died after the provider did it: done again, told once', async () => {
  const channel = await app.connect();
  const { headers } = await change('block', channel, `+${app.phone()}`);
  const { contact_id } = await rowOf(channel);
  await blockRows.change(app, { channel_id: channel.id }, { status: 'pending', blocked_at: null });
  for (const { id, data } of await eventRows.all(app, { subject_id: contact_id }, ['id', 'data']))
    if ((data.changed as string[] | undefined)?.includes('blocks')) await eventRows.remove(app, id);
  await again(headers.get('operation-id')!);
  expect(await rowOf(channel)).toMatchObject({ status: 'blocked', blocked_at: expect.anything() });
  expect([await asked(channel), await updates(contact_id)]).toEqual([['POST', 'POST'], 1]);
});

test('a change that was overtaken, or whose contact was deleted, does nothing', async () => {
  const channel = await app.connect();
  const phone = `+${app.phone()}`;
  const first = (await change('block', channel, phone)).headers.get('operation-id')!;
  await change('unblock', channel, phone);
  await again(first);
  expect((await rowOf(channel)).status).toBe('unblocked');
  const { contact_id } = await rowOf(channel);
  await contactRows.remove(app, contact_id);
  await again(first);
  expect(await asked(channel)).toEqual(['POST', 'DELETE']);
});

test('a contact that became part of another one meanwhile: the other one is told of', async () => {
  const channel = await app.connect();
  const other = await app.conversation(channel);
  const phone = `+${app.phone()}`;
  await app.control('POST', '/faults', {
    match: { path: `${channel.phoneNumberId}/block_users` },
    kind: 'delay',
    delay_ms: 1_500,
  });
  const waiting = change('block', channel, phone);
  await waitFor('the request', async () => (await asked(channel)).length === 1);
  await blockRows.change(app, { channel_id: channel.id }, { contact_id: other.contactId });
  expect((await waiting).body).toEqual({ status: 'blocked' });
  expect(await updates(other.contactId)).toBe(1);
});

test('a retry by hand: once, and not when something else was asked since', async () => {
  const channel = await app.connect();
  const phone = `+${app.phone()}`;
  const { transact } = app.web.deps.ledger;
  const refuse = () =>
    app.control('POST', '/faults', {
      match: { path: `${channel.phoneNumberId}/block_users` },
      kind: 'status',
      status: 400,
      code: 131021,
    });
  await refuse();
  const first = (await change('block', channel, phone)).headers.get('operation-id')!;
  expect(await rowOf(channel)).toMatchObject({ status: 'failed', failure: { provider_code: '131021' } });
  expect(await retryJob(transact, first)).toBe(true);
  await waitFor('the block', async () => (await rowOf(channel)).status === 'blocked');
  await refuse();
  const second = (await change('unblock', channel, phone)).headers.get('operation-id')!;
  expect((await rowOf(channel)).status).toBe('blocked');
  expect((await change('unblock', channel, phone)).body).toEqual({ status: 'unblocked' });
  await expect(retryJob(transact, second)).rejects.toMatchObject({ code: 'conflict' });
});
