import { expect, test } from '@jest/globals';
import { checkJobs } from '../../../src/platform/ledger/check.ts';
import { useApp } from '../../support/app.ts';
import { waitFor } from '../../support/wait-for.ts';

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
  await waitFor('every message to be sent', async () => {
    const [open] = await app.rows(`select 1 from messages where status in ('queued', 'sending') limit 1`);
    return open === undefined;
  });
  const texts = (await app.sends(channel)).map(({ body }) => body.text.body as string);
  for (const name of ['old', 'young'])
    expect(texts.filter((text) => text.startsWith(name))).toEqual(bodies.map((body) => `${name} ${body}`));
  await app.idle();
  expect(await checkJobs(app.web.deps.database)).toEqual([]);
  expect(await app.rows('select distinct contact_id, conversation_id from messages where channel_id = $1', [channel.id])).toEqual(
    [{ contact_id: old.contactId, conversation_id: old.id }],
  );
});
