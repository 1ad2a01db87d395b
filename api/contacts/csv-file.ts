import Joi from 'joi';
import { view } from '../http/view.ts';

/** A reply that is a CSV file of contacts. */
export const csvFile = view(
  Joi.string().meta({ contentType: 'text/csv' }),
  "id,phone_number,name,email,external_source,external_id,tags,custom_fields.tier,created_at,updated_at\r\n01932d5f-3a0e-7cc4-8f4e-0242ac120004,'+16505551234,Sheena Nelson,sheena@example.com,shop,C-1001,vip,gold,2026-11-21T10:00:00.000Z,2026-11-21T10:00:00.000Z\r\n",
);

export const csvHeaders = (of: string, at: Date) => ({
  'Content-Type': 'text/csv; charset=utf-8; header=present',
  'Content-Disposition': `attachment; filename="${of}-${at.toISOString().slice(0, 10)}.csv"`,
});

export const raw = Joi.boolean()
  .default(false)
  .description(
    'Cells as they are: no quote before what a spreadsheet would take for a formula, phone numbers among it. Not for spreadsheets',
  );

/** Oldest first, so that contacts created meanwhile come last. */
export const exportOrder = 'created_at';
