import type { Em } from '../../platform/database/database.ts';
import { ownRows } from '../../platform/database/own.ts';
import { query } from '../../platform/database/query.ts';
import { invalidField } from '../../platform/errors.ts';
import { conversationLane, LocksOutdated } from '../../platform/ledger/locks.ts';
import type { Tx } from '../../platform/ledger/tx.ts';
import { changedFields, updateContact } from '../change.ts';
import { contactLock, emitDeleted, emitUpdated } from '../events.ts';
import { refreshAddresses } from '../identities/search-column.ts';
import { type ContactRow, contactNotFound, findContactById, getContact, inBody } from '../queries.ts';
import { contactReferences } from '../references.ts';
import { type ConversationOfTwo, mergeConversations } from './merge-conversations.ts';

/** Two contacts that are one person: the one in the path, and the one in the body. */
export type Asked = { id: string; otherId: string };
type Pair = { survivor: string; merged?: string };
export type SeenPair = Pair & { conversations: ConversationOfTwo[] };

/** The two as they stand now, with what moves. Throws as mergeContacts. */
export async function lookAtPair(em: Em, organizationId: string, asked: Asked): Promise<SeenPair> {
  const pair = await pairOf(em, organizationId, asked);
  return { ...pair, conversations: pair.merged ? await conversationsOf(em, organizationId, pair) : [] };
}

/** The locks `mergeContacts` needs. */
export const mergeLocks = ({ survivor, merged, conversations }: SeenPair) =>
  merged ? [contactLock(survivor), contactLock(merged), ...conversations.map(({ id }) => conversationLane(id))] : [];

/**
 * The older contact stays and takes over all that refers to the other, whose id answers 404 from then on and names the survivor. Asked
 * again it gives the survivor and changes nothing. Throws 404 for a contact that is not there, 409 while a message is being sent.
 */
export async function mergeContacts(tx: Tx, organizationId: string, actor: string, asked: Asked): Promise<ContactRow> {
  const pair = await pairOf(tx.em, organizationId, asked);
  const { survivor, merged } = pair;
  if (!merged) return getContact(tx.of(organizationId), survivor);
  for (const id of [survivor, merged]) tx.assertLocked(contactLock(id));
  // Whoever adds a row for one of them is done before, or finds nobody after.
  const held = await tx.query(
    'select 1 from contacts where organization_id = $1 and id = any($2::uuid[]) order by id for update',
    [organizationId, [survivor, merged]],
  );
  if (held.length < 2) throw new LocksOutdated();
  const conversations = await conversationsOf(tx.em, organizationId, pair);
  for (const lock of mergeLocks({ ...pair, conversations })) tx.assertLocked(lock);

  const gone = await mergeConversations(tx, organizationId, survivor, conversations);
  const fields = await moveReferences(tx, [organizationId, survivor, merged, actor]);
  const columns = await fillFields(tx, organizationId, survivor, merged);
  await tx.query('delete from contacts where organization_id = $1 and id = $2', [organizationId, merged]);
  await tx.query(
    'insert into contact_merges (organization_id, merged_id, contact_id, actor, gone_conversations) values ($1, $2, $3, $4, $5)',
    [organizationId, merged, survivor, actor, gone],
  );
  await refreshAddresses(tx.of(organizationId), survivor);
  await tx.query('update contacts set updated_at = clock_timestamp() where organization_id = $1 and id = $2', [
    organizationId,
    survivor,
  ]);
  const row = (await findContactById(tx.of(organizationId), survivor))!;
  emitUpdated(tx.of(organizationId), row, [...columns, ...fields]);
  emitDeleted(tx.of(organizationId), merged, survivor);
  return row;
}

type Known = { id: string; is_there: boolean; survivor: string | null };

async function pairOf(em: Em, organizationId: string, { id, otherId }: Asked): Promise<Pair> {
  const [one, other] = await query<Known>(
    em,
    `select x.id, k.id is not null as is_there, m.contact_id as survivor from unnest($2::uuid[]) with ordinality x(id, place)
       left join contacts k on k.organization_id = $1 and k.id = x.id
       left join contact_merges m on m.organization_id = $1 and m.merged_id = x.id order by x.place`,
    [organizationId, [id, otherId]],
  );
  const current = ({ is_there, survivor, id: own }: Known) => (is_there ? own : survivor);
  if (id === otherId && one!.is_there) throw invalidField('contact_id', 'A contact cannot be merged with itself', 'contact.same');
  const survivor = id === otherId ? null : current(one!);
  if (survivor !== null && survivor === current(other!)) return { survivor };
  if (!one!.is_there) throw await contactNotFound(ownRows(em, organizationId), id);
  if (!other!.is_there) throw await contactNotFound(ownRows(em, organizationId), otherId, inBody);
  const [older, newer] = [one!.id, other!.id].sort();
  return { survivor: older!, merged: newer! };
}

const conversationsOf = (em: Em, organizationId: string, { survivor, merged }: Pair) =>
  query<ConversationOfTwo>(
    em,
    'select id, contact_id, channel_id from conversations where organization_id = $1 and contact_id = any($2::uuid[]) order by id',
    [organizationId, [survivor, merged]],
  );

/** Everything that refers to the one becomes the other's; the names of what came. */
async function moveReferences(tx: Tx, params: string[]): Promise<string[]> {
  const names = new Set<string>();
  for (const { merge, field } of contactReferences) {
    for (const statement of merge) {
      const [row] = await tx.query<{ n: number }>(
        `with moved as (${statement} returning 1) select count(*)::int as n from moved`,
        statement.includes('$4') ? params : params.slice(0, 3),
      );
      if (field && row!.n > 0) names.add(field);
    }
  }
  return [...names];
}

/** What is empty with the one that stays comes from the other, custom fields by name. Throws 422 when they are too large together. */
async function fillFields(tx: Tx, organizationId: string, survivor: string, merged: string): Promise<string[]> {
  const [own, other] = [
    await findContactById(tx.of(organizationId), survivor),
    await findContactById(tx.of(organizationId), merged),
  ];
  if (!own || !other) throw new LocksOutdated();
  const missing = Object.entries(other.custom_fields).filter(([name]) => !Object.hasOwn(own.custom_fields, name));
  const changed = await updateContact(tx.of(organizationId), survivor, {
    name: own.name || other.name,
    phone_number: own.phone_number || other.phone_number,
    email: own.email || other.email,
    ...(!own.external_id && { external_source: other.external_source, external_id: other.external_id }),
    custom_fields: Object.fromEntries(missing),
  });
  return changedFields(changed!);
}
