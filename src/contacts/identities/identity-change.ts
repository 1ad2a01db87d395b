import { LocksOutdated } from '../../platform/ledger/locks.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import type { OwnTx } from '../../platform/ledger/tx.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { IdentityChange } from '../../providers/messaging-app/identity-change.ts';
import { changeColumns } from '../change.ts';
import { findContactTx } from '../contact-tx.ts';
import { contactLock } from '../events.ts';
import { listDuplicate } from '../merging/duplicates.ts';
import { type Identity, ownersOf, withSpellings } from './identity.ts';
import { sourced } from './resolve.ts';
import { giveIdentities, takeIdentities } from './write.ts';

type Outcome = 'changed' | 'taken' | 'unknown';

/** Idempotent. The old address may go to another person. If another contact has the new one: `taken`. */
export function applyIdentityChange(transact: TenantTransact, secrets: Secrets, change: IdentityChange): Promise<Outcome> {
  const find = (own: OwnTx) => ownersOf(own, sourced(change.old));
  const look = () => transact({}, ({ own }) => find(own));
  return transact({ look, locks: (owners) => owners.slice(0, 1).map(contactLock) }, async ({ own }) =>
    renew(own, secrets, await find(own), change),
  );
}

async function renew(own: OwnTx, secrets: Secrets, owners: string[], change: IdentityChange): Promise<Outcome> {
  const [id, ...alsoOld] = owners;
  if (!id) return 'unknown';
  const tx = await findContactTx(own, id);
  if (!tx) throw new LocksOutdated();
  for (const other of alsoOld) await listDuplicate(tx, id, other, 'same_person');
  const incoming = sourced(change.new);
  const others = (await ownersOf(tx, incoming)).filter((owner) => owner !== id);
  for (const other of others) await listDuplicate(tx, id, other, change.reason);
  if (others.length > 0) return 'taken';
  await giveIdentities(tx, secrets, incoming);
  // Another contact received it between the two statements.
  if ((await ownersOf(tx, incoming)).some((owner) => owner !== id)) throw new LocksOutdated();
  const isKept = (old: Identity) => incoming.some(({ type, value }) => type === old.type && value === old.value);
  await takeIdentities(
    tx,
    withSpellings(sourced(change.old)).filter((old) => !isKept(old)),
  );
  const { phoneId } = change.new;
  await changeColumns(tx, phoneId ? { phone_number: `+${phoneId}` } : {});
  tx.changed('identities');
  tx.addressesChanged();
  return 'changed';
}
