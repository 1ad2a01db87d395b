import type { Em } from '../../platform/database/database.ts';
import { query } from '../../platform/database/query.ts';
import { uuidv7 } from '../../platform/ids.ts';
import { conversationLane } from '../../platform/ledger/locks.ts';
import type { TransactOptions } from '../../platform/ledger/transact.ts';
import type { Tx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { contactLock, emitDeleted } from '../events.ts';
import type { Identity } from '../identities/identity.ts';
import { eraseContactJob } from '../jobs.ts';
import { rememberSuppressed } from '../permission/suppressed-addresses.ts';
import { contactNotFound } from '../queries.ts';

/** A conversation began between the look and the locks: look again. */
class Begun extends Error {}
/** More than these, and something else is wrong. */
const mostLooks = 20;

/**
 * Forgets a contact: it goes with all that is its own, what was said stays without the person, and a job searches for what is left of
 * him elsewhere. `write` runs the transaction and gives what `answer` makes of the ids he was known by, merged-away ones too. Throws 404.
 */
export async function eraseContact<Result>(
  em: Em,
  secrets: Secrets,
  organizationId: string,
  id: string,
  write: (options: TransactOptions, work: (tx: Tx) => Promise<Result>) => Promise<Result>,
  answer: (tx: Tx, ids: string[]) => Promise<Result>,
): Promise<Result> {
  for (let look = 1; ; look += 1) {
    const held = await conversationsOf(em, organizationId, id);
    try {
      return await write({ isLong: true, locks: [contactLock(id), ...held.map(conversationLane)] }, async (tx) =>
        answer(tx, await erase(tx, secrets, organizationId, id, held)),
      );
    } catch (error) {
      if (!(error instanceof Begun) || look === mostLooks) throw error;
    }
  }
}

async function conversationsOf(em: Em, organizationId: string, id: string): Promise<string[]> {
  const rows = await query<{ id: string }>(em, 'select id from conversations where organization_id = $1 and contact_id = $2', [
    organizationId,
    id,
  ]);
  return rows.map((row) => row.id);
}

async function erase(tx: Tx, secrets: Secrets, organizationId: string, id: string, held: string[]): Promise<string[]> {
  // From here on nothing new can refer to it: who tries waits for this row, and finds it gone.
  const there = await tx.query('select 1 from contacts where organization_id = $1 and id = $2 for update', [organizationId, id]);
  if (there.length === 0) throw await contactNotFound(tx.of(organizationId), id);
  const conversations = await conversationsOf(tx.em, organizationId, id);
  if (conversations.some((conversation) => !held.includes(conversation))) throw new Begun();
  const identities = await addressesOfContact(tx, organizationId, id);
  const merged = await tx.query<{ merged_id: string; gone_conversations: string[] }>(
    'select merged_id, gone_conversations from contact_merges where organization_id = $1 and contact_id = $2',
    [organizationId, id],
  );
  const ids = [id, ...merged.map(({ merged_id }) => merged_id)];
  await rememberSuppressed(tx.of(organizationId), secrets, id, identities);
  await blankMessages(tx, organizationId, id);
  await blankConversations(tx, organizationId, id);
  const spokenIn = [...conversations, ...merged.flatMap(({ gone_conversations: gone }) => gone)];
  await searchLater(tx, secrets, organizationId, { ids, conversations: spokenIn, identities });
  await tx.query('delete from contacts where organization_id = $1 and id = $2', [organizationId, id]);
  emitDeleted(tx.of(organizationId), id);
  return ids;
}

/** By what he is known, and what he was blocked by. */
function addressesOfContact(tx: Tx, organizationId: string, id: string): Promise<Identity[]> {
  return tx.query<Identity>(
    `select type, source, value from contact_identities where organization_id = $1 and contact_id = $2
     union
     select x.type, '', x.value from contact_blocks b, lateral (values ('phone', b.phone), ('messaging_app_id', b.user_id)) as x(type, value)
      where b.organization_id = $1 and b.contact_id = $2 and x.value <> ''`,
    [organizationId, id],
  );
}

/**
 * What was said stays. The provider's ids are made of the person's address, so they go too, and so does what the provider, and not the
 * person, said of him.
 */
async function blankMessages(tx: Tx, organizationId: string, id: string) {
  await tx.query(
    `update messages set contact_id = null, to_phone = '', to_user_id = '', from_phone = '', provider_message_id = null, superseded_ids = '{}', context_id = null,
       content = case type when 'system' then jsonb_build_object('type', content->'type')
                           when 'unsupported' then content #- '{raw,from}' #- '{raw,from_user_id}' #- '{raw,id}' #- '{raw,context}' else content end
      where organization_id = $1 and contact_id = $2`,
    [organizationId, id],
  );
}

async function blankConversations(tx: Tx, organizationId: string, id: string) {
  await tx.query(
    `update conversations set contact_id = null, preview = '', profile_name = '', profile_username = '', profile_phone = '', profile_user_id = '', updated_at = clock_timestamp()
      where organization_id = $1 and contact_id = $2`,
    [organizationId, id],
  );
}

/** What the job needs to find what is left, of conversations those too that a merge ended; sealed, and gone with the end of the job. */
export type Remains = { ids: string[]; conversations: string[]; identities: Identity[] };

async function searchLater(tx: Tx, secrets: Secrets, organizationId: string, remains: Remains) {
  const id = uuidv7();
  await tx.query('insert into contact_erasures (id, organization_id, erased_id, addresses) values ($1, $2, $3, $4)', [
    id,
    organizationId,
    remains.ids[0],
    secrets.seal(JSON.stringify(remains)),
  ]);
  tx.enqueue(eraseContactJob, organizationId, { erasure_id: id });
}
