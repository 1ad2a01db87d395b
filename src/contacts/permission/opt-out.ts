import type { Tx } from '../../platform/ledger/tx.ts';
import { emitUpdated } from '../events.ts';
import { hearConsent } from './consents.ts';
import type { By } from './permission-history.ts';
import { suppress } from './suppressions.ts';

const channel = 'messaging_app';

/** A person wrote that he wants no more: nothing at all goes out to him. The contact's lock is held. */
export async function optOut(tx: Tx, organizationId: string, contactId: string, messageId: string, at: Date): Promise<void> {
  const name = await nameOf(tx, organizationId, contactId);
  if (name === undefined) return;
  const by: By = { actor: `contact:${contactId}`, source: 'message', proof: messageId };
  const suppression = { channel, reason: 'unsubscribed', expiresAt: null } as const;
  const { isChanged } = await suppress(tx, organizationId, contactId, suppression, by);
  const isDenied = await hearConsent(tx, organizationId, contactId, { channel, status: 'denied' }, at, by);
  const changed = [...(isDenied ? ['consents'] : []), ...(isChanged ? ['suppressions'] : [])];
  if (changed.length > 0) emitUpdated(tx, organizationId, { id: contactId, name }, changed);
}

/**
 * A person told the provider whether he wants this business's marketing: that is consent, what is no marketing goes on. The contact's lock
 * is held. False when the contact is not there any more: forgotten, or part of another.
 */
export async function hearMarketingChoice(
  tx: Tx,
  organizationId: string,
  contactId: string,
  { status, at, proof }: { status: 'granted' | 'denied'; at: Date; proof: string },
): Promise<boolean> {
  const name = await nameOf(tx, organizationId, contactId);
  if (name === undefined) return false;
  const by: By = { actor: 'provider', source: 'provider', proof };
  const isChanged = await hearConsent(tx, organizationId, contactId, { channel, status }, at, by);
  if (isChanged) emitUpdated(tx, organizationId, { id: contactId, name }, ['consents']);
  return true;
}

async function nameOf(tx: Tx, organizationId: string, id: string): Promise<string | undefined> {
  const [contact] = await tx.query<{ name: string }>('select name from contacts where organization_id = $1 and id = $2', [
    organizationId,
    id,
  ]);
  return contact?.name;
}
