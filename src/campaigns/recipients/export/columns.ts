import { neutralised } from '../../../platform/csv/formulas.ts';
import { csvOf } from '../../../platform/csv/write.ts';
import { iso } from '../../../platform/time/moment.ts';
import type { RecipientRow } from '../list.ts';
import { parameterColumn } from '../parameters.ts';

const time = (at: string | null) => (at === null ? '' : iso(at));

/** The contact is first: who is erased is found by it and taken out (contacts/export/csv.ts). */
const cells: Record<string, (row: RecipientRow) => string> = {
  contact_id: (row) => row.contact_id ?? '',
  phone_number: (row) => row.phone_number ?? '',
  name: (row) => row.name ?? '',
  recipient_id: (row) => row.id,
  channel_id: (row) => row.channel_id,
  variant_id: (row) => row.variant_id,
  status: (row) => row.status,
  reason: (row) => row.reason,
  failure_code: (row) => row.failure_code,
  zone: (row) => row.zone,
  due_at: (row) => time(row.due_at),
  message_id: (row) => row.message_id ?? '',
  attempts: (row) => String(row.attempts),
  queued_at: (row) => time(row.queued_at),
  sent_at: (row) => time(row.sent_at),
  delivered_at: (row) => time(row.delivered_at),
  read_at: (row) => time(row.read_at),
  failed_at: (row) => time(row.failed_at),
  replied_at: (row) => time(row.replied_at),
  clicked_at: (row) => time(row.clicked_at),
  opted_out_at: (row) => time(row.opted_out_at),
  created_at: (row) => time(row.created_at),
};

export const exportColumns = Object.keys(cells);

const inForm = (record: string[], isRaw: boolean) => (isRaw ? record : record.map(neutralised));

/** `names`: of the parameters. */
export const recipientsHeader = (names: string[], isRaw: boolean) =>
  csvOf([inForm([...exportColumns, ...names.map(parameterColumn)], isRaw)]);

export const recipientsCsv = (rows: RecipientRow[], names: string[], isRaw: boolean) =>
  csvOf(
    rows.map((row) => {
      const texts = names.map((name) => (Object.hasOwn(row.parameters, name) ? row.parameters[name]! : ''));
      return inForm([...Object.values(cells).map((cell) => cell(row)), ...texts], isRaw);
    }),
  );
