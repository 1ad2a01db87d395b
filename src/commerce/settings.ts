import { now } from '../platform/database/columns.ts';
import type { Own } from '../platform/database/own.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import type { OwnTx } from '../platform/ledger/tx.ts';
import { CommerceSettings } from './settings.entity.ts';

const columns = [
  'store_name',
  'store_slug',
  'currency',
  'timezone',
  'order_no_prefix',
  'reservation_minutes',
  'confirm_on',
  'shipping_origin',
] as const;
export type SettingsRow = RowOf<typeof CommerceSettings, (typeof columns)[number]>;
export type SettingsPatch = Partial<SettingsRow>;

/** Of an organization that has set nothing; the table has the same. */
export const defaultSettings: SettingsRow = {
  store_name: '',
  store_slug: '',
  currency: 'USD',
  timezone: 'UTC',
  order_no_prefix: '',
  reservation_minutes: 30,
  confirm_on: 'payment',
  shipping_origin: null,
};

const read = statement((select) => select(CommerceSettings).select(columns));

export async function settingsOf(own: Own): Promise<SettingsRow> {
  const [row] = await read(own, {});
  return row ?? defaultSettings;
}

/** What is not given stays. */
export async function changeSettings(tx: OwnTx, patch: SettingsPatch): Promise<SettingsRow> {
  // SQL: on conflict do nothing. There is one row an organization, and the first write makes it.
  await tx.sql(
    `insert into commerce_settings (organization_id)
     values ($1)
     on conflict (organization_id) do nothing`,
  );
  await tx.update(CommerceSettings, {}, { ...patch, updated_at: now() });
  return settingsOf(tx);
}
