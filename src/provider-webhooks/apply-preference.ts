import { contactLock } from '../contacts/events.ts';
import { identityTaken, resolveContact } from '../contacts/identities/resolve.ts';
import { hearMarketingChoice } from '../contacts/permission/opt-out.ts';
import type { Transact } from '../platform/ledger/transact.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { InboundPreference } from '../providers/messaging-app/inbound.ts';

/** Between two looks a contact may become part of another; more often than this, and something else is wrong. */
const mostLooks = 3;

/** A person stopped or resumed marketing at the provider. Whoever is not known yet becomes a contact: what he said must hold. */
export async function applyPreference(
  transact: Transact,
  secrets: Secrets,
  organizationId: string,
  { from, choice, at, detail: proof }: InboundPreference,
): Promise<void> {
  const status = choice === 'stop' ? 'denied' : 'granted';
  for (let look = 1; look <= mostLooks; look += 1) {
    const id = await transact({ retryOn: [identityTaken] }, (tx) => resolveContact(tx.of(organizationId), secrets, from));
    const isHeard = await transact({ locks: [contactLock(id)] }, (tx) =>
      hearMarketingChoice(tx.of(organizationId), id, { status, at, proof }),
    );
    if (isHeard) return;
  }
  throw new Error('The contact went away each time it was found');
}
