import type { OwnTx } from '../../platform/ledger/tx.ts';
import { findContactTx } from '../contact-tx.ts';
import { noteOptOut } from './campaign-opt-out.ts';
import { hearConsent } from './consents.ts';
import type { By } from './permission-history.ts';
import { suppress } from './suppressions.ts';

const channel = 'messaging_app';

/** The contact opted out: Kanal sends nothing more. Throws LocksOutdated without the contact's lock. */
export async function optOut(own: OwnTx, contactId: string, messageId: string, at: Date): Promise<void> {
  const tx = await findContactTx(own, contactId);
  if (!tx) return;
  const by: By = { actor: `contact:${contactId}`, source: 'message', proof: messageId };
  await suppress(tx, { channel, reason: 'unsubscribed', expiresAt: null }, by);
  await hearConsent(tx, { channel, status: 'denied' }, at, by);
}

type MarketingChoice = { status: 'granted' | 'denied'; at: Date; proof: string };

/** Consent to marketing only. False: the contact was erased or merged. Throws LocksOutdated without the contact's lock. */
export async function hearMarketingChoice(
  own: OwnTx,
  contactId: string,
  { status, at, proof }: MarketingChoice,
): Promise<boolean> {
  const tx = await findContactTx(own, contactId);
  if (!tx) return false;
  await hearConsent(tx, { channel, status }, at, { actor: 'provider', source: 'provider', proof });
  if (status === 'denied') await noteOptOut(tx);
  return true;
}
