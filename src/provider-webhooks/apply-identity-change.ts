import { applyIdentityChange } from '../contacts/identities/identity-change.ts';
import type { Own } from '../platform/database/own.ts';
import type { IdentityChange } from '../providers/messaging-app/identity-change.ts';
import type { InboundMessage } from '../providers/messaging-app/inbound.ts';
import { type Applying, applyMessage, isStored } from './apply-message.ts';

type From = InboundMessage['from'];

/** A repeat is ignored with its change: by then the old address may be another person's. */
export async function applyChangeMessage(
  own: Own,
  applying: Applying,
  channelId: string,
  message: InboundMessage,
  change: IdentityChange,
): Promise<void> {
  if (await isStored(own, channelId, message.providerMessageId)) return;
  const outcome = await applyIdentityChange(applying.transact, applying.secrets, change);
  await applyMessage(applying, channelId, message, outcome === 'taken' ? message.from : fromNow(message.from, change));
}

/** The old addresses would be added to the contact again. */
const fromNow = (from: From, change: IdentityChange): From => ({
  ...from,
  ...(from.userId === change.old.userId && { userId: undefined }),
  ...change.new,
});
