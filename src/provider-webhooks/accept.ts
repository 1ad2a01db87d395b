import type { Em } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import { slices } from '../platform/load/slices.ts';
import { phoneNumberIdOf, type RawChange } from '../providers/messaging-app/inbound.ts';
import { applyProviderWebhookJob } from './jobs.ts';

type Owner = { organization_id: string; phone_number_id: string; account_id: string };
export type Accepted = { kept: number; unknown: number };

/**
 * Stores the changes of one signed body, each organization's apart, with a job each: one statement. `channelId` narrows the body
 * to one channel, whose own app signed it. Changes for numbers and accounts nobody has are counted and dropped. Each change is looked at
 * once and by itself, whatever the body holds: who signs with an app of their own may send anything.
 */
export async function acceptProviderWebhook(
  em: Em,
  transact: Transact,
  given: RawChange[],
  channelId?: string,
): Promise<Accepted> {
  const turnOfOthers = slices();
  const changes: { change: RawChange; number: string }[] = [];
  for (const raw of given) {
    const change = shallow(raw);
    changes.push({ change, number: phoneNumberIdOf(change) ?? '' });
    const turn = turnOfOthers();
    if (turn) await turn;
  }
  const owners = await query<Owner>(
    em,
    `select organization_id, phone_number_id, account_id from channels where (phone_number_id = any($1) or account_id = any($2)) and ($3::uuid is null or id = $3)`,
    [
      [...new Set(changes.map(({ number }) => number))],
      [...new Set(changes.map(({ change }) => change.entryId))],
      channelId ?? null,
    ],
  );
  const byNumber = organizationsBy(owners, 'phone_number_id');
  const byAccount = organizationsBy(owners, 'account_id');
  const byOrganization = new Map<string, RawChange[]>();
  let unknown = 0;
  for (const { change, number } of changes) {
    const own = number ? byNumber.get(number) : byAccount.get(change.entryId);
    if (!own) unknown += 1;
    else for (const organizationId of own) listIn(byOrganization, organizationId).push(change);
    const turn = turnOfOthers();
    if (turn) await turn;
  }
  if (byOrganization.size > 0) {
    await transact({ isOneStatement: true }, async (tx) => {
      const bodies = [...byOrganization].map(([organizationId, own]) => {
        const id = uuidv7();
        tx.enqueue(applyProviderWebhookJob, organizationId, { webhook_id: id });
        return { id, organizationId, body: Buffer.from(JSON.stringify(own)) };
      });
      tx.include({
        text: `stored as (insert into provider_webhooks (id, organization_id, channel_id, body, state)
          select x.id, x.organization_id, $4::uuid, x.body, 'received' from unnest($1::uuid[], $2::uuid[], $3::bytea[]) as x(id, organization_id, body))`,
        params: [
          bodies.map(({ id }) => id),
          bodies.map((each) => each.organizationId),
          bodies.map(({ body }) => body),
          channelId ?? null,
        ],
      });
    });
  }
  return { kept: changes.length - unknown, unknown };
}

function organizationsBy(owners: Owner[], column: 'phone_number_id' | 'account_id'): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const owner of owners) {
    const own = found.get(owner[column]);
    if (own) own.add(owner.organization_id);
    else found.set(owner[column], new Set([owner.organization_id]));
  }
  return found;
}

function listIn<Item>(lists: Map<string, Item[]>, key: string): Item[] {
  const known = lists.get(key) ?? [];
  lists.set(key, known);
  return known;
}

const deepest = 64;

/** A change nested without sense would break every later reading of its body: only whom it was for is kept, which makes it a broken one. */
function shallow(change: RawChange): RawChange {
  if (!isDeeper(change.change, deepest)) return change;
  const { field } = change.change;
  return {
    ...change,
    change: { field, value: { metadata: { phone_number_id: phoneNumberIdOf(change) }, dropped: 'nested too deep' } },
  };
}

/** Level by level, since a recursion is what such a body is made to break. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((item) => (item !== null && typeof item === 'object' ? Object.values(item) : []));
  }
  return false;
}
