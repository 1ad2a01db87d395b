import type { Em } from '../platform/database/database.ts';
import { query } from '../platform/database/query.ts';
import { uuidv7 } from '../platform/ids.ts';
import type { PartText } from '../platform/ledger/part.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import { slices } from '../platform/load/slices.ts';
import { phoneNumberIdOf, type RawChange } from '../providers/messaging-app/inbound.ts';
import { object } from '../providers/messaging-app/json.ts';
import { applyProviderWebhookJob } from './jobs.ts';
import { numbersToCome } from './numbers-to-come.ts';
import { withoutDepth } from './without-depth.ts';

type Owner = { organization_id: string; phone_number_id: string; account_id: string };
type Numbered = { change: RawChange; number: string };
/** `toCome`: changes for a number that is being onboarded. They are not kept: the provider has to repeat the body. */
export type Accepted = { kept: number; unknown: number; toCome: number };

/** Splits the changes by organization, each with a job; drops unknown numbers. `channelId`: the channel whose own app signed. */
export async function acceptProviderWebhook(
  em: Em,
  transact: Transact,
  given: RawChange[],
  channelId: string | null = null,
): Promise<Accepted> {
  // Yields to other requests: a tenant's own app may sign any body.
  const splitting = slices();
  const changes: Numbered[] = [];
  for (const raw of given) {
    const change = withoutDepth(raw);
    changes.push({ change, number: phoneNumberIdOf(change) ?? '' });
    const turn = splitting();
    if (turn) await turn;
  }
  const owners = await ownersOf(em, changes, channelId);
  const byNumber = organizationsBy(owners, 'phone_number_id');
  const byAccount = organizationsBy(owners, 'account_id');
  const byOrganization = new Map<string, RawChange[]>();
  const unknown: string[] = [];
  const sorting = slices();
  for (const { change, number } of changes) {
    const organizations = number ? byNumber.get(number) : byAccount.get(change.entryId);
    if (!organizations) unknown.push(number);
    else for (const organizationId of organizations) listIn(byOrganization, organizationId).push(change);
    const turn = sorting();
    if (turn) await turn;
  }
  if (byOrganization.size > 0) await store(transact, byOrganization, channelId);
  const known = { kept: changes.length - unknown.length };
  if (unknown.length === 0 || channelId) return { ...known, unknown: unknown.length, toCome: 0 };
  const numbers = await numbersToCome(em, [...new Set(unknown)].filter(Boolean));
  const toCome = unknown.filter((number) => numbers.has(number)).length;
  return { ...known, unknown: unknown.length - toCome, toCome };
}

/** SQL: across organizations: the owner of a number or an account owns the change; in a form that no partial index fits (bench: inbound). */
const ownersOf = (em: Em, changes: Numbered[], channelId: string | null) =>
  query<Owner>(
    em,
    `select organization_id, phone_number_id, account_id
       from channels
      where (phone_number_id = any($1) or account_id = any($2)) and (deleted_at is null) is true and ($3::uuid is null or id = $3)`,
    [[...new Set(changes.map(({ number }) => number))], [...new Set(changes.map(({ change }) => change.entryId))], channelId],
  );

/** SQL: a part of the ledger's statement, so that storing is one statement in all (bench: inbound). */
const storePart: PartText = (ids, organizations, bodies, channelId) => `stored as (
        insert into provider_webhooks (id, organization_id, channel_id, body, state)
        select x.id, x.organization_id, ${channelId}::uuid, x.body, 'received'
          from unnest(${ids}::uuid[], ${organizations}::uuid[], ${bodies}::bytea[]) as x(id, organization_id, body))`;

const store = (transact: Transact, byOrganization: Map<string, RawChange[]>, channelId: string | null) =>
  transact({ isOneTrip: true }, async (tx) => {
    const bodies = [...byOrganization].map(([organizationId, changes]) => {
      const id = uuidv7();
      const kind = changes.every(hasOnlyStatuses) ? 'bulk' : 'conversation';
      tx.enqueue(applyProviderWebhookJob, organizationId, { webhook_id: id }, { class: kind });
      return { id, organizationId, body: Buffer.from(JSON.stringify(changes)) };
    });
    tx.include({
      text: storePart,
      params: [
        bodies.map(({ id }) => id),
        bodies.map(({ organizationId }) => organizationId),
        bodies.map(({ body }) => body),
        channelId,
      ],
    });
  });

const hasSome = (items: unknown) => Array.isArray(items) && items.length > 0;

/** What the provider tells of our own messages, and nothing that a person did. */
function hasOnlyStatuses({ change }: RawChange): boolean {
  const value = object(change.value);
  return change.field === 'messages' && hasSome(value.statuses) && !hasSome(value.messages);
}

function organizationsBy(owners: Owner[], column: 'phone_number_id' | 'account_id'): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const owner of owners) {
    const organizations = found.get(owner[column]);
    if (organizations) organizations.add(owner.organization_id);
    else found.set(owner[column], new Set([owner.organization_id]));
  }
  return found;
}

function listIn<Item>(lists: Map<string, Item[]>, key: string): Item[] {
  const known = lists.get(key) ?? [];
  lists.set(key, known);
  return known;
}
