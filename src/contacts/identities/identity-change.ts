import { LocksOutdated } from '../../platform/ledger/locks.ts';
import type { Transact } from '../../platform/ledger/transact.ts';
import type { Tx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { IdentityChange } from '../../providers/messaging-app/identity-change.ts';
import { contactLock } from '../events.ts';
import { listDuplicate } from '../merging/duplicates.ts';
import { suppressAgain } from '../permission/suppressed-addresses.ts';
import { findContactById, type Identity, ownersOf } from '../queries.ts';
import { announce, deleteIdentities, insertIdentities } from './identities.ts';
import { sourced } from './resolve.ts';

/**
 * Whoever had the old address has the new one instead: the old may be given to somebody else. Nothing is taken from another contact that
 * has the new one: the two are listed as duplicates, and `taken` is the answer. Safe to repeat.
 */
export async function applyIdentityChange(
  transact: Transact,
  secrets: Secrets,
  organizationId: string,
  change: IdentityChange,
): Promise<'changed' | 'taken' | 'unknown'> {
  const find = (tx: Tx) => ownersOf(tx.em, organizationId, sourced(change.old));
  const look = () => transact({}, find);
  return transact({ look, locks: (owners) => owners.slice(0, 1).map(contactLock) }, async (tx) => {
    const [id, ...alsoOld] = await find(tx);
    if (!id) return 'unknown';
    tx.assertLocked(contactLock(id));
    for (const other of alsoOld) await listDuplicate(tx, organizationId, id, other, 'same_person');
    const contact = await findContactById(tx.of(organizationId), id);
    if (!contact) throw new LocksOutdated();
    const incoming = sourced(change.new);
    const others = (await ownersOf(tx.em, organizationId, incoming)).filter((owner) => owner !== id);
    for (const other of others) await listDuplicate(tx, organizationId, id, other, change.reason);
    if (others.length > 0) return 'taken';
    const added = await insertIdentities(tx, organizationId, id, incoming);
    // Somebody got it between the two statements.
    if ((await ownersOf(tx.em, organizationId, incoming)).some((owner) => owner !== id)) throw new LocksOutdated();
    const isKept = (old: Identity) => incoming.some(({ type, value }) => type === old.type && value === old.value);
    await deleteIdentities(
      tx,
      organizationId,
      id,
      sourced(change.old).filter((old) => !isKept(old)),
    );
    suppressAgain(tx, secrets, organizationId, id, added);
    const { phoneId } = change.new;
    await announce(tx, organizationId, contact, phoneId ? { phone_number: `+${phoneId}` } : {});
    return 'changed';
  });
}
