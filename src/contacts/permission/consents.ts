import { raw } from '@mikro-orm/core';
import { now } from '../../platform/database/columns.ts';
import type { Own } from '../../platform/database/own.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { list, type Page } from '../../platform/listing/paging.ts';
import type { ContactTx } from '../contact-tx.ts';
import { assertContact } from '../queries.ts';
import { type ConsentChannel, type ConsentStatus, ContactConsent } from './permission.entity.ts';
import { type By, recordPermission } from './permission-history.ts';

export type Consent = { channel: ConsentChannel; status: ConsentStatus };

const columns = ['id', 'channel', 'status', 'source', 'proof', 'changed_at', 'created_at'] as const;
export type ConsentRow = RowOf<typeof ContactConsent, (typeof columns)[number]>;

/** Recorded by the organization, in force from now. Idempotent. */
export async function setConsent(tx: ContactTx, consent: Consent, by: By): Promise<ConsentRow> {
  const known = await findConsent(tx, consent.channel);
  const { source, proof } = by;
  if (known?.status === consent.status && known.source === source && known.proof === proof) return known;
  const row = write(tx, known, { ...consent, source, proof, changed_at: now() });
  await recordChange(tx, consent, by);
  await tx.flush();
  return row;
}

/**
 * May arrive late, twice or out of order: the newest counts, and within one second (the provider's precision) a refusal.
 * A repeat only moves the time, so that an older decision stays older.
 */
export async function hearConsent(tx: ContactTx, consent: Consent, at: Date, by: By): Promise<void> {
  const known = await findConsent(tx, consent.channel);
  if (known && !isNewer(consent, at, known)) return;
  // The provider's clock may be ahead of the database's.
  const changed_at = raw('least(?::timestamptz, clock_timestamp())', [at.toISOString()]) as unknown as string;
  if (known?.status === consent.status) {
    known.changed_at = changed_at;
    return;
  }
  write(tx, known, { ...consent, source: by.source, proof: by.proof, changed_at });
  await recordChange(tx, consent, by);
}

const secondOf = (at: Date) => Math.floor(at.getTime() / 1_000);

function isNewer({ status }: Consent, at: Date, known: ConsentRow): boolean {
  const [heard, before] = [secondOf(at), secondOf(new Date(known.changed_at))];
  return heard > before || (heard === before && status === 'denied' && known.status !== 'denied');
}

const findConsent = (tx: ContactTx, channel: ConsentChannel) => tx.findOne(ContactConsent, { contact_id: tx.contactId, channel });

type Values = Pick<ConsentRow, 'channel' | 'status' | 'source' | 'proof' | 'changed_at'>;

function write(tx: ContactTx, known: ConsentRow | undefined, values: Values): ConsentRow {
  return known ? Object.assign(known, values) : tx.create(ContactConsent, { contact_id: tx.contactId, ...values });
}

async function recordChange(tx: ContactTx, { channel, status: state }: Consent, by: By) {
  await recordPermission(tx, { kind: 'consent', channel, state }, by);
  tx.changed('consents');
}

const consents = list((select, { contactId }: { contactId: string }) =>
  select(ContactConsent).select(columns).where('contact_id', '=', contactId),
);

export async function listConsents(own: Own, contactId: string, page: Page) {
  await assertContact(own, contactId);
  return consents(own, { contactId }, page);
}
