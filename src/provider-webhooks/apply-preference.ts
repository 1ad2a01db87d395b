import { contactLock } from '../contacts/events.ts';
import { identityTaken, resolveContact } from '../contacts/identities/resolve.ts';
import { hearMarketingChoice } from '../contacts/permission/opt-out.ts';
import { LocksOutdated } from '../platform/ledger/locks.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { InboundPreference } from '../providers/messaging-app/inbound.ts';

/** An unknown person becomes a contact, so that their choice is kept. */
export async function applyPreference(
  transact: TenantTransact,
  secrets: Secrets,
  { from, choice, at, detail: proof }: InboundPreference,
): Promise<void> {
  const status = choice === 'stop' ? 'denied' : 'granted';
  const look = () => transact({ retryOn: [identityTaken] }, (tx) => resolveContact(tx.own, secrets, from));
  await transact({ look, locks: (id) => [contactLock(id)] }, async (tx, id) => {
    // Merged or erased since it was found.
    if (!(await hearMarketingChoice(tx.own, id, { status, at, proof }))) throw new LocksOutdated();
  });
}
