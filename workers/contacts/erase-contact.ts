import { forgetInRules } from '../../src/automation/erasure/forget-in-rules.ts';
import { forgetInRuns } from '../../src/automation/erasure/forget-in-runs.ts';
import { forgetInCampaigns } from '../../src/campaigns/erasure/forget-in-campaigns.ts';
import { forgetInOrders } from '../../src/commerce/erasure/forget-in-orders.ts';
import { dropReceived } from '../../src/contacts/erasure/drop-received.ts';
import type { Remains } from '../../src/contacts/erasure/erase.ts';
import { ContactErasure } from '../../src/contacts/erasure/erasure.entity.ts';
import { forgetInFiles } from '../../src/contacts/erasure/forget-in-files.ts';
import { eraseContactJob } from '../../src/contacts/erasure/jobs.ts';
import { scrubDeals } from '../../src/contacts/erasure/scrub-deals.ts';
import { scrubEvents } from '../../src/contacts/erasure/scrub-events.ts';
import { scrubTasks } from '../../src/contacts/erasure/scrub-tasks.ts';
import { statement } from '../../src/platform/database/statement.ts';
import type { PartText } from '../../src/platform/ledger/part.ts';
import { forgetPerson } from '../../src/records/erasure/forget-person.ts';
import { searchHistory } from '../../src/records/erasure/search-history.ts';
import { forgetInSegments } from '../../src/segments/erasure/forget-in-segments.ts';
import { handle, type RunContext } from '../handler.ts';

/** A delay for files in progress: each pass searches every file that is ready. */
const fileMs = 5_000;

const erasureById = statement((select, { id }: { id: string }) =>
  select(ContactErasure).select(['addresses', 'created_at']).where('id', '=', id),
);

/** Repeats until nothing is left; then it deletes the addresses too. */
export const eraseContactRest = handle(eraseContactJob, async ({ erasure_id }, context) => {
  const { own, ledger, config } = context;
  const [erasure] = await erasureById(own, { id: erasure_id });
  if (!erasure) return context.finish();
  const remains = await withHistory(context, erasure_id, JSON.parse(context.secrets.open(erasure.addresses)) as Remains);
  if (remains.history?.after) return context.wait(0, { reason: 'there is more history to read' });
  await scrubTasks(ledger.transact, own, remains);
  await scrubDeals(ledger.transact, own, remains);
  // What was never linked to the person may be about somebody else of the same name: only the addresses go.
  const holding = { ...remains, ...remains.history, names: [], goneTasks: [] };
  await scrubTasks(ledger.transact, own, holding);
  await scrubDeals(ledger.transact, own, holding);
  const changed = await scrubEvents(ledger.transact, own, remains);
  const left = await dropReceived(ledger.transact, own, remains, erasure.created_at);
  await forgetInOrders(context.transact, remains.orders);
  await forgetPerson(context.transact, own, remains);
  await forgetInSegments(ledger.transact, own, remains);
  await forgetInCampaigns(ledger.transact, own, remains);
  await forgetInRuns(context.transact, own, remains);
  await forgetInRules(context.transact, own, remains);
  const writing = await forgetInFiles(ledger.transact, own, remains.ids, erasure.created_at);
  if (left > 0) return context.wait(1_000, { reason: 'the provider sent something that is not applied yet' });
  if (writing > 0) return context.wait(fileMs, { reason: 'an import or export in progress may contain the contact' });
  if (changed > 0)
    return context.wait(config.webhookTimeoutMs + 1_000, { reason: 'a delivery with the old text may be in progress' });
  return context.finish({ text: forgottenPart, params: [own.organizationId, erasure_id], onlyWithEnd: true });
});

/** Keeps what it found: each later run of the job begins behind it. */
async function withHistory(context: RunContext, id: string, before: Remains): Promise<Remains> {
  if (before.history?.after === null) return before;
  const remains = await searchHistory(context.own, before);
  const addresses = context.secrets.seal(JSON.stringify(remains));
  await context.transact({}, ({ own }) => own.update(ContactErasure, { id }, { addresses }));
  return remains;
}

/** SQL: a part of the ledger's statement. */
const forgottenPart: PartText = (organization, id) => `
      forgotten as (
        delete from contact_erasures
         where organization_id = ${organization} and id = ${id}
           and exists (select 1 from ended))`;
