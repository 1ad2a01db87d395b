import { sql } from 'kysely';
import { now } from '../../platform/database/columns.ts';
import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import { invalidField } from '../../platform/errors.ts';
import { conversationLane, LocksOutdated } from '../../platform/ledger/locks.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import { changedFields, updateContact } from '../change.ts';
import { Contact } from '../contact.entity.ts';
import { contactLock, emitDeleted, emitUpdated } from '../events.ts';
import { refreshAddresses } from '../identities/search-column.ts';
import { type ContactRow, contactNotFound, findContactById, getContact, inBody } from '../queries.ts';
import { contactReferences } from '../references.ts';
import { ContactMerge } from './merge.entity.ts';
import { type ConversationOfTwo, mergeConversations } from './merge-conversations.ts';
import { type MergeTx, mergeTx } from './merge-tx.ts';

/** `id` is from the path, `otherId` from the body. */
export type Asked = { id: string; otherId: string };
/** Without `merged` they are one contact already. */
type Pair = { survivor: string; merged?: string };
export type SeenPair = Pair & { conversations: ConversationOfTwo[] };

/** Throws as mergeContacts. */
export async function lookAtPair(own: Own, asked: Asked): Promise<SeenPair> {
  const pair = await pairOf(own, asked);
  return { ...pair, conversations: await conversationsOf(own, pair) };
}

export const mergeLocks = ({ survivor, merged, conversations }: SeenPair) =>
  merged ? [contactLock(survivor), contactLock(merged), ...conversations.map(({ id }) => conversationLane(id))] : [];

const existing = statement((select, { ids }: { ids: string[] }) =>
  select(Contact).select('id').where('id', '=', sql<string>`any(${ids}::uuid[])`),
);
const existingForUpdate = statement((select, { ids }: { ids: string[] }) =>
  select(Contact).select('id').where('id', '=', sql<string>`any(${ids}::uuid[])`).orderBy('id').forUpdate(),
);
const mergesOf = statement((select, { ids }: { ids: string[] }) =>
  select(ContactMerge).select(['merged_id', 'contact_id']).where('merged_id', '=', sql<string>`any(${ids}::uuid[])`),
);

/** The older contact survives. Idempotent. Throws 404 for a missing contact, 409 while a message is being sent. */
export async function mergeContacts(own: OwnTx, actor: string, asked: Asked): Promise<ContactRow> {
  const { survivor, merged } = await pairOf(own, asked);
  if (!merged) return getContact(own, survivor);
  const tx = mergeTx(own, { survivor, merged }, actor);
  // A writer of either contact has committed before this, or finds no contact afterwards.
  const held = await existingForUpdate(tx, { ids: [survivor, merged] });
  if (held.length < 2) throw new LocksOutdated();
  const ended = await mergeConversations(tx, await conversationsOf(tx, tx));
  const gained = await moveReferences(tx);
  const filled = await fillFields(tx);
  await tx.delete(Contact, { id: merged });
  await tx.insert(ContactMerge, { merged_id: merged, contact_id: survivor, actor, gone_conversations: ended });
  await refreshAddresses(tx, survivor);
  await tx.update(Contact, { id: survivor }, { updated_at: now() });
  const row = (await findContactById(tx, survivor))!;
  emitUpdated(tx, row, [...filled, ...gained]);
  emitDeleted(tx, merged, survivor);
  return row;
}

async function pairOf(own: Own, { id, otherId }: Asked): Promise<Pair> {
  const ids = [id, otherId];
  const found = new Set((await existing(own, { ids })).map((contact) => contact.id));
  if (id === otherId && found.has(id)) throw invalidField('contact_id', 'A contact cannot be merged with itself', 'contact.same');
  const survivors = new Map((await mergesOf(own, { ids })).map(({ merged_id, contact_id }) => [merged_id, contact_id]));
  const current = (one: string) => (found.has(one) ? one : survivors.get(one));
  const survivor = current(id);
  if (id !== otherId && survivor !== undefined && survivor === current(otherId)) return { survivor };
  for (const [one, at] of [[id], [otherId, inBody]] as const) if (!found.has(one)) throw await contactNotFound(own, one, at);
  const [older, newer] = ids.sort();
  return { survivor: older!, merged: newer! };
}

/** SQL: conversations are messaging's table, which contacts must not import. */
const conversationsOfTwo = `
  select id, contact_id, channel_id
    from conversations
   where organization_id = $1
     and contact_id = any($2::uuid[])
   order by id`;

const conversationsOf = (own: Own, { survivor, merged }: Pair): Promise<ConversationOfTwo[]> =>
  merged ? own.sql<ConversationOfTwo>(conversationsOfTwo, [[survivor, merged]]) : Promise.resolve([]);

/** Returns the fields that gained something. */
async function moveReferences(tx: MergeTx): Promise<string[]> {
  const gained = new Set<string>();
  for (const { merge, field } of contactReferences) if ((await merge(tx)) > 0 && field) gained.add(field);
  return [...gained];
}

/** Fills the survivor's empty fields; custom fields by name. Throws 422 when they are too large together. */
async function fillFields(tx: MergeTx): Promise<string[]> {
  const own = await findContactById(tx, tx.survivor);
  const other = await findContactById(tx, tx.merged);
  if (!own || !other) throw new LocksOutdated();
  const missing = Object.entries(other.custom_fields).filter(([name]) => !Object.hasOwn(own.custom_fields, name));
  const changed = await updateContact(tx, tx.survivor, {
    name: own.name || other.name,
    phone_number: own.phone_number || other.phone_number,
    email: own.email || other.email,
    ...(!own.external_id && { external_source: other.external_source, external_id: other.external_id }),
    custom_fields: Object.fromEntries(missing),
  });
  return changedFields(changed!);
}
