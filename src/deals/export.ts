import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { neutralised } from '../platform/csv/formulas.ts';
import { csvOf } from '../platform/csv/write.ts';
import type { Listing } from '../platform/listing/listing.ts';
import { type AskOnce, pagesOf } from '../platform/listing/pages.ts';
import type { Reads } from '../platform/listing/reads.ts';
import { iso } from '../platform/time/moment.ts';
import type { DealRow } from './deal-row.ts';
import { dealTable } from './list.ts';
import { timeOrEmpty } from './shown.ts';

type Column = { name: string; cell: (row: DealRow) => string; isText?: true };

/** `isText`: words of people, which a spreadsheet may take for a formula. */
const columns: Column[] = [
  { name: 'id', cell: (row) => row.id },
  { name: 'title', cell: (row) => row.title, isText: true },
  { name: 'status', cell: (row) => row.status },
  { name: 'pipeline_id', cell: (row) => row.pipeline_id ?? '' },
  { name: 'stage_id', cell: (row) => row.stage_id ?? '' },
  { name: 'probability', cell: (row) => String(row.probability ?? '') },
  { name: 'amount_minor', cell: (row) => String(row.amount_minor) },
  { name: 'currency_code', cell: (row) => row.currency_code },
  { name: 'home_currency_at_write', cell: (row) => row.home_currency_at_write },
  { name: 'amount_in_home_currency', cell: (row) => row.amount_in_home_currency ?? '' },
  { name: 'expected_close_at', cell: (row) => timeOrEmpty(row.expected_close_at) },
  { name: 'stage_entered_at', cell: (row) => timeOrEmpty(row.stage_entered_at) },
  { name: 'closed_at', cell: (row) => timeOrEmpty(row.closed_at) },
  { name: 'lost_reason', cell: (row) => row.lost_reason, isText: true },
  { name: 'owner_user_id', cell: (row) => row.owner_user_id ?? '' },
  { name: 'source_conversation_id', cell: (row) => row.source_conversation_id ?? '' },
  { name: 'primary_contact_id', cell: (row) => row.contacts.find(({ is_primary }) => is_primary)?.contact_id ?? '' },
  { name: 'contact_ids', cell: (row) => row.contacts.map(({ contact_id }) => contact_id).join(' ') },
  { name: 'custom_fields', cell: (row) => JSON.stringify(row.custom_fields), isText: true },
  { name: 'metadata', cell: (row) => JSON.stringify(row.metadata), isText: true },
  { name: 'created_at', cell: (row) => iso(row.created_at) },
  { name: 'updated_at', cell: (row) => iso(row.updated_at) },
];

export const dealCsvColumns = columns.map(({ name }) => name);

/** Rows made between pauses: other work runs. */
const sliceRows = 100;

/** A page is read when the consumer needs it. A search of each page takes a place among the organization's. */
export async function* dealsAsCsv(
  reads: Reads,
  organizationId: string,
  listing: Listing,
  { isRaw }: { isRaw: boolean },
): AsyncGenerator<string> {
  const askOnce: AskOnce = listing.unindexed > 0 ? (work) => reads.dear(organizationId, work) : (work) => work(reads.plain);
  const record = (row: DealRow) => columns.map(({ cell, isText }) => (isText && !isRaw ? neutralised(cell(row)) : cell(row)));
  yield csvOf([dealCsvColumns]);
  for await (const page of pagesOf<DealRow>(askOnce, dealTable, organizationId, listing))
    for (let at = 0; at < page.length; at += sliceRows) {
      yield csvOf(page.slice(at, at + sliceRows).map(record));
      await turnOfOthers();
    }
}
