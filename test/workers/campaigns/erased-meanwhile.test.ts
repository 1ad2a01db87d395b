import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { conversationsOf, eraseContact, eraseLocks } from '../../../src/contacts/erasure/erase.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { eraseContactRest } from '../../../workers/contacts/erase-contact.ts';
import { type CampaignRuns, openCampaignRuns } from '../../support/campaign-runs.ts';
import { assertClean, assertEnded } from '../../support/campaign-seen.ts';
import type { ToyHandler } from '../../support/house.ts';
import { testSecrets } from '../../support/secrets.ts';
import { waitFor } from '../../support/wait-for.ts';
import { wholeDump } from '../../support/whole-dump.ts';
import { recipientRows } from '../../support/work/campaigns.ts';
import { contactRows } from '../../support/work/contacts.ts';
import { jobRows } from '../../support/work/jobs.ts';

let at: CampaignRuns;
const sent: string[] = [];
beforeAll(async () => {
  at = await openCampaignRuns(({ phone }) => sent.push(phone));
});
afterAll(() => at.close());

async function erase(contactId: string) {
  const conversations = await conversationsOf(ownRows(at.house.database, at.organization), contactId);
  await at.transact({ locks: eraseLocks(contactId, conversations) }, ({ own }) => eraseContact(own, testSecrets, contactId));
  // The rest of the erasure: what others hold of the person.
  const jobs = await jobRows.all(at, { name: 'contacts.erase' }, ['id', 'run']);
  for (const job of jobs) await at.house.run(eraseContactRest as unknown as ToyHandler, job);
}

test('erased while a campaign runs: a dump holds neither their address nor their name, and totals stay', async () => {
  const channel = await at.channel(4);
  const people = await at.people({ count: 8 });
  const named = people.map((id, n) => ({ id, name: `Wilhelmine Zwyxgroth${'abcdefgh'[n]}` }));
  for (const { id, name } of named) await contactRows.change(at, id, { name });
  const stored = await contactRows.all(at, { id: { $in: people } }, ['id', 'phone_number']);
  const phones = stored.map((one) => ({ id: one.id, phone: one.phone_number.slice(1) }));
  const audience = { search: named[1]!.name, filters: [{ field: 'name', operator: 'eq', value: named[0]!.name }] };
  const id = await at.campaign({ channels: [channel.id], audience });
  await at.recipients(id, channel.id, people);
  await at.sql(
    `update campaign_recipients r set parameters = jsonb_build_object('who', k.name) from contacts k where k.id = r.contact_id and campaign_id = $1`,
    [id],
  );
  await at.startFeed(id);
  await at.work('campaigns.feed', id);
  const rows = await waitFor('the messages', async () => {
    const all = await at.queued('messages.send', id);
    return all.length === 4 && all;
  });
  for (const row of rows.slice(0, 2)) await at.run('messages.send', row);
  const statuses = await recipientRows.all(at, { campaign_id: id }, ['contact_id', 'status'], { id: 'asc' });
  // One whose message is out, one whose message waits, and one who is still to get theirs.
  const gone = ['sent', 'queued', 'pending'].map((status) => statuses.find((one) => one.status === status)!.contact_id);
  for (const contactId of gone) await erase(contactId!);
  await at.toEnd(id);
  expect(await at.statusOf(id)).toMatchObject({ status: 'completed' });
  expect(await at.counts(id)).toEqual({ sent: 6, 'skipped: contact_deleted': 2 });
  expect([sent.length, new Set(sent).size]).toEqual([6, 6]);
  await assertEnded(at, id);
  await assertClean(at);
  const dump = Object.entries(await wholeDump({ rows: (text, params) => at.sql(text, params) }));
  const traces = gone.flatMap((contactId) => [
    named.find((one) => one.id === contactId)!.name,
    phones.find((one) => one.id === contactId)!.phone,
  ]);
  const holding = dump.filter(([, text]) => traces.some((trace) => text.includes(trace))).map(([table]) => table);
  expect(holding).toEqual([]);
});
