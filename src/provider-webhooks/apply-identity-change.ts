import { applyIdentityChange } from '../contacts/identities/identity-change.ts';
import type { Em } from '../platform/database/database.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { IdentityChange } from '../providers/messaging-app/identity-change.ts';
import type { InboundMessage } from '../providers/messaging-app/inbound.ts';
import { type Applying, applyMessage, type ChannelRef, isStored } from './apply-message.ts';

type From = InboundMessage['from'];

/**
 * A message of the provider's own that says a person's address is another now. A message that is stored already is passed over with what
 * it says: by then the old address may be another person's.
 */
export async function applyChangeMessage(
  em: Em,
  transact: Transact,
  applying: Applying,
  channel: ChannelRef,
  message: InboundMessage,
  change: IdentityChange,
): Promise<void> {
  if (await isStored(em, channel, message.providerMessageId)) return;
  const outcome = await applyIdentityChange(transact, applying.secrets, channel.organizationId, change);
  await applyMessage(transact, applying, channel, message, outcome === 'taken' ? message.from : fromNow(message.from, change));
}

/** By the new addresses, or the old ones would be learnt again. */
const fromNow = (from: From, change: IdentityChange): From => ({
  ...from,
  ...(from.userId === change.old.userId && { userId: undefined }),
  ...change.new,
});
