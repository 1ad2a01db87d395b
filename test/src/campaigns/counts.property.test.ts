import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { countsOf } from '../../../src/campaigns/counts.ts';
import { recipientStatuses } from '../../../src/campaigns/states.ts';
import { statsOf } from '../../../src/campaigns/stats.ts';
import { followMessagesNow } from '../../../src/messaging/campaign-recipients.ts';
import { followRetry } from '../../../src/messaging/campaign-sends.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { transactFor } from '../../../src/platform/ledger/tenant.ts';
import { type PersonMade, peopleOf } from '../../support/campaign-people.ts';
import { conversation } from '../../support/factories/conversation.ts';
import { fc, numRuns } from '../../support/fast-check.ts';
import { type House, openHouse } from '../../support/house.ts';
import { setRecipients } from '../../support/rules/campaigns.ts';

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

const codes = ['131026', '131048', '131049', '132015', 'suppressed', 'outcome_unknown', 'campaign_cancelled'];
const change = fc.record({
  who: fc.nat(5),
  what: fc.constantFrom('sent' as const, 'delivered' as const, 'read' as const, 'failed' as const, 'retry' as const),
  code: fc.constantFrom(...codes),
});

test('counts and statistics equal a recount, and the times tell the status, after any changes', async () => {
  const { running, person, recipient } = peopleOf(house);
  const own = ownRows(house.database, house.organizationId);
  const talk = await conversation(house.em(), house.organizationId);
  const run = fc.asyncProperty(
    fc.array(fc.constantFrom(...recipientStatuses), { minLength: 6, maxLength: 6 }),
    fc.array(change, { maxLength: 15 }),
    fc.boolean(),
    async (statuses, changes, retry_capped) => {
      const id = await running({ guards: { retry_capped } });
      const people: PersonMade[] = [];
      for (const status of statuses) {
        // One contact is in a campaign once.
        await setRecipients(house.em(), { contact_id: talk.contact.id }, { contact_id: null });
        people.push(await person(id, status, talk));
      }
      for (const { who, what, code } of changes) {
        const { messageId } = people[who]!;
        const provider_code = code.startsWith('13') ? code : null;
        const failure =
          what === 'failed' ? { code: provider_code ? 'provider_refused' : code, provider_code, message: '' } : null;
        const changed = transactFor(house.ledger.transact, house.organizationId)({}, async ({ own: tx }) => {
          if (what === 'retry') await followRetry(tx, { id: messageId, campaign_id: id });
          else await followMessagesNow(tx, [{ messageId, campaignId: id, status: what, failure }]);
        });
        await changed.catch((error) => {
          // Only of one that failed.
          if (what !== 'retry' || error.code !== 'conflict') throw error;
        });
      }
      const rows = await Promise.all(people.map((one) => recipient(one.id)));
      const { counts, in_flight } = await countsOf(own, { id });
      const stats = await statsOf(own, id);
      for (const status of recipientStatuses) expect(counts[status]).toBe(rows.filter((row) => row.status === status).length);
      expect(counts.total).toBe(rows.length);
      expect(in_flight).toBe(counts.queued);
      expect(stats.counts).toEqual(counts);
      expect(stats.hours.reduce((sum, { sent }) => sum + sent, 0)).toBe(rows.filter(({ sent_at }) => sent_at).length);
      for (const row of rows) {
        expect(row.failed_at !== null).toBe(row.status === 'failed');
        expect(row.failure_code !== '' && row.status !== 'failed').toBe(false);
        if (['sent', 'delivered', 'read'].includes(row.status)) expect(row.sent_at).not.toBeNull();
        if (['pending', 'queued', 'skipped'].includes(row.status)) expect(row.result_at).toBeNull();
      }
    },
  );
  await fc.assert(run, { numRuns: numRuns({ default: 4, deep: 40 }) });
});
