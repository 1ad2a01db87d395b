import { expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { useApp } from '../../support/app.ts';
import { waitFor } from '../../support/wait-for.ts';
import { messageRows } from '../../support/work/messages.ts';

const app = useApp({ workers: true });

test('while workers send in both conversations: refused or done, and each message goes out once, in order', async () => {
  const channel = await app.connect({ body: { rate: 40 } });
  const [old, young] = [await app.conversation(channel), await app.conversation(channel)];
  const send = (to: string, body: string) => app.text(channel, to, { text: { body } });
  const bodies = Array.from({ length: 12 }, (_, n) => `${n + 10}`);
  for (const body of bodies) await Promise.all([send(young.phone, `young ${body}`), send(old.phone, `old ${body}`)]);
  const statuses: number[] = [];
  await waitFor('the merge', async () => {
    const { status } = await app.call('contacts.merge', {
      params: { contactID: young.contactId },
      body: { contact_id: old.contactId },
    });
    statuses.push(status);
    return status === 200;
  });
  expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
  expect(await checkJobs(app.web.deps.database)).toEqual([]);
  const unsent = { status: { $in: ['queued', 'sending'] as const } };
  await waitFor('every message to be sent', async () => (await messageRows.count(app, unsent)) === 0);
  const texts = (await app.sends(channel)).map(({ body }) => body.text.body as string);
  for (const name of ['old', 'young'])
    expect(texts.filter((text) => text.startsWith(name))).toEqual(bodies.map((body) => `${name} ${body}`));
  await app.idle();
  expect(await checkJobs(app.web.deps.database)).toEqual([]);
  for (const message of await messageRows.all(app, { channel_id: channel.id }))
    expect(message).toMatchObject({ contact_id: old.contactId, conversation_id: old.id });
});
