import { isDeepStrictEqual } from 'node:util';
import type { HistoryChanges } from '../history/history.entity.ts';
import { iso } from '../platform/time/moment.ts';
import type { DealRow } from './deal-row.ts';

export const timeOrEmpty = (time: string | null) => (time === null ? '' : iso(time));
const timeOrNull = (time: string | null) => time && iso(time);

/** The fields of a deal's own row, each as the API shows it. */
export const shownFields = (row: DealRow) => ({
  title: row.title,
  status: row.status,
  amount_minor: row.amount_minor,
  currency_code: row.currency_code,
  home_currency_at_write: row.home_currency_at_write,
  amount_in_home_currency: row.amount_in_home_currency ?? '',
  expected_close_at: timeOrEmpty(row.expected_close_at),
  owner_user_id: row.owner_user_id,
  source_conversation_id: row.source_conversation_id,
  pipeline_id: row.pipeline_id,
  stage_id: row.stage_id,
  stage_entered_at: timeOrNull(row.stage_entered_at),
  position: row.position,
  closed_at: timeOrNull(row.closed_at),
  lost_reason: row.lost_reason,
  custom_fields: row.custom_fields,
  metadata: row.metadata,
});

type Shown = Record<string, unknown>;

/** Custom fields one by one, as `custom_fields.<key>`; null: there is none. */
function byKey({ custom_fields, ...fields }: Shown): Map<string, unknown> {
  const entries = Object.entries((custom_fields ?? {}) as Shown).map(([key, value]) => [`custom_fields.${key}`, value] as const);
  return new Map([...Object.entries(fields), ...entries]);
}

/** What was changed, for the history. `before` without fields: a new deal, of which empty fields are left out. */
export function changesBetween(before: Shown, after: Shown): HistoryChanges {
  const [old, next] = [byKey(before), byKey(after)];
  const isNew = Object.keys(before).length === 0;
  const isEmpty = (value: unknown) => value === null || value === '' || isDeepStrictEqual(value, {});
  const names = [...new Set([...old.keys(), ...next.keys()])];
  const changed = names.filter((name) => (isNew ? !isEmpty(next.get(name)) : !isDeepStrictEqual(old.get(name), next.get(name))));
  return Object.fromEntries(changed.map((name) => [name, { from: old.get(name) ?? null, to: next.get(name) ?? null }]));
}
