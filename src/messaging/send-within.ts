import type { Own } from '../platform/database/own.ts';
import { atOnce } from '../platform/ledger/at-once.ts';
import { conversationLane } from '../platform/ledger/locks.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { TenantTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { MessageRow } from './queries.ts';
import { takeMessage } from './schedule.ts';
import { prepareMessage } from './send.ts';
import { findTarget, type SendRequest } from './send-target.ts';

/** Of a send within a transaction that does more. A conversation that is not there yet is made by it. */
export async function locksOfSend(own: Own, secrets: Secrets, request: SendRequest): Promise<string[]> {
  const { conversation_id: id } = await findTarget(own, secrets, request);
  return id ? [conversationLane(id)] : [];
}

/**
 * A send whose checks see what the same transaction has done before it, such as a consent that it recorded. Needs `locksOfSend`; throws as
 * `prepareMessage`, and LocksOutdated when the conversation is another by now.
 */
export async function sendWithin(tx: TenantTx, secrets: Secrets, request: SendRequest): Promise<MessageRow> {
  await tx.own.flush();
  const within: TenantTransact = async (_options, work) => (await work(tx, undefined as never)) as never;
  const prepared = await prepareMessage(tx.own, within, secrets, request);
  tx.assertLocked(conversationLane(prepared.conversation.id));
  const message = await atOnce(tx.own, (own) => takeMessage(own, prepared));
  return message();
}
