import type { Remains } from '../../contacts/erasure/erase.ts';
import { tracesOf } from '../../contacts/erasure/traces.ts';
import { scrubHistory } from '../../history/scrub.ts';
import type { Own } from '../../platform/database/own.ts';
import type { TenantTransact } from '../../platform/ledger/tenant.ts';
import { type Clean, withoutNothing } from './clean.ts';
import { addressesOf, recordsToScrub, scrubRecords } from './scrub-records.ts';

/** Takes a contact that was erased out of the words of records that were ever linked to it, and its addresses out of every record. */
export async function forgetPerson(transact: TenantTransact, own: Own, remains: Remains): Promise<void> {
  const { identities, names, records, history } = remains;
  const addresses = addressesOf(identities);
  const isLinked = new Set(records);
  const found = addresses.length === 0 ? [] : await recordsToScrub(own, addresses);
  const others = [...new Set([...found, ...(history?.records ?? [])])].filter((id) => !isLinked.has(id));
  const clean = tracesOf(identities, names);
  // The words of a record that only has an address may be about somebody else of the same name.
  const cleanAddresses = tracesOf(identities, []);
  await scrub(transact, records, clean);
  await scrub(transact, others, cleanAddresses);
}

async function scrub(transact: TenantTransact, ids: string[], clean: Clean) {
  await scrubRecords(transact, ids, clean);
  for (const id of ids) await scrubHistory((work) => transact({}, ({ own }) => work(own)), id, clean, withoutNothing);
}
