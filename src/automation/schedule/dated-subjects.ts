import { queryPlanned } from '../../platform/database/query.ts';
import { invalidField } from '../../platform/errors.ts';
import { type Bind, bindTo } from '../../platform/listing/bind.ts';
import { type Field, fieldOf } from '../../platform/listing/fields.ts';
import { commonSql } from '../../platform/listing/table.ts';
import { momentMs } from '../../platform/time/moment.ts';
import { clockAt } from '../../platform/time/zone-clock.ts';
import { zoneOf } from '../../platform/time/zone-of.ts';
import type { RuleClock, Zones } from './clock.ts';
import { actingDays, actingDaysAnywhere, type DateTrigger, datesOf, momentOn, momentsOf, type Window } from './dates.ts';
import { type Kind, kindOf, type Subject } from './kinds.ts';
import { type Batch, lowestId, type Source } from './subjects.ts';

/** `actingDay`: the day on which the rule acts for it. */
export type Dated = Subject & { actingDay: string };
type Asked = { trigger: DateTrigger; clock: RuleClock; zones: Zones; window: Window };
type Row = { id: string; contact_id: string | null; value: string; zone: string | null };
/** SQL: `each` date or time that is looked for, the rows of it, and the date or the time that a row `k` has. */
type Sought = { each: string; columns: string; rows: string; where: string; value: string };

const hour = 3_600_000;
/** Of a day anywhere on Earth: its first moment before that of UTC, and its last one after. */
const widest = { before: 14 * hour, after: 13 * hour };

/** Those on whose date the rule acts within the window, by their ids. Throws 422 for a field that is not there any more. */
export async function readDated(
  { database, own }: Source,
  asked: Asked,
  after: string | null,
  size: number,
): Promise<Batch<Dated>> {
  const { trigger, clock, zones, window } = asked;
  const days = clock.isOfContacts ? actingDaysAnywhere(trigger, window) : actingDays(trigger, window, clock.zone);
  if (days.length === 0) return { rows: [], last: null };
  const datesOn = new Map(days.map((day) => [day, new Set(datesOf(trigger, day))]));
  const kind = await kindOf(own, trigger.kind);
  const params: unknown[] = [own.organizationId];
  const bind = bindTo(params);
  const dates = [...new Set([...datesOn.values()].flatMap((some) => [...some]))];
  const { each, columns, rows: table, where, value } = soughtBy(kind, trigger.field, dates, clock, bind);
  const zone = clock.isOfContacts ? `k.custom_fields->>${bind(zones.timezone_field)}::text` : 'null';
  // SQL: each date by itself (`offset 0`), by the index of its field where there is one: together they look like more rows than they are, and all are walked.
  const text = `
    select k.id, ${kind.contact} as contact_id, ${value} as value, ${zone} as zone
      from ${each},
           lateral (
             select ${columns}
               from ${table}
              where k.organization_id = $1${commonSql(kind.table, bind)} and ${where}
             offset 0) k
     where k.id > ${bind(after ?? lowestId)}::uuid
     order by k.id
     limit ${bind(size)}`;
  const found = await queryPlanned<Row>(database, text, params);
  const usual = trigger.timezone ?? zones.timezone;
  // Of a time of contacts the ranges overlap, and a contact comes once for each.
  const once = found.filter(({ id }, at) => id !== found[at - 1]?.id);
  const rows = once.flatMap((row) =>
    daysOf(row, clock.isOfContacts ? zoneOf(row.zone, usual) : clock.zone, asked, datesOn).map((actingDay) => ({
      subjectType: kind.subjectType,
      subjectId: row.id,
      contactId: row.contact_id,
      actingDay,
    })),
  );
  return { rows, last: found.length === size ? found.at(-1)!.id : null };
}

/** By the clock of the zone. */
function daysOf({ value }: Row, zone: string, { trigger, window }: Asked, datesOn: Map<string, Set<string>>): string[] {
  const date = value.length === 10 ? value : new Date(clockAt(zone, momentMs(value)).wall).toISOString().slice(0, 10);
  return [...datesOn].flatMap(([day, dates]) => {
    if (!dates.has(date)) return [];
    const moment = momentOn(trigger, day, zone);
    return moment > window.from && moment <= window.to ? [day] : [];
  });
}

function soughtBy(kind: Kind, name: string, dates: string[], clock: RuleClock, bind: Bind): Sought {
  const field = fieldOf(kind.table.fields, name);
  const rows = `${kind.table.name} k`;
  const plain = { columns: 'k.*', rows };
  const key = keyOf(field);
  if (key !== undefined)
    return {
      ...plain,
      each: `unnest(${bind(dates)}::text[]) d(day)`,
      where: `${field!.sql} @> jsonb_build_object(${bind(key)}::text, d.day)`,
      value: 'd.day',
    };
  const moments = dates.map((date) => (clock.isOfContacts ? widened(date) : momentsOf(date, clock.zone)));
  const [since, before] = [moments.map(({ from }) => from.toISOString()), moments.map((one) => one.before.toISOString())];
  const ranges = (type: string) => `unnest(${bind(since)}::${type}[], ${bind(before)}::${type}[]) r(since, before)`;
  if (field?.type === 'time') {
    const time = field.inOrder ?? field.sql;
    return {
      ...plain,
      each: ranges('timestamptz'),
      where: `${time} >= r.since and ${time} < r.before`,
      value: textOfTime(field.sql),
    };
  }
  const typed = field?.typed;
  if (typed?.type !== 'time') throw invalidField('field', `${name} is no date of this kind`, 'date.field');
  if (typed.isIndexed)
    return {
      each: ranges('timestamptz'),
      columns: 'k.*, v.time_value as dated_at',
      rows: `${typed.values} v, ${rows}`,
      where: `v.organization_id = $1 and v.field_id = ${bind(typed.id)}::uuid and v.time_value >= r.since
          and v.time_value < r.before and k.id = v.record_id`,
      value: textOfTime('k.dated_at'),
    };
  // Texts of times in UTC are in the order of what they say.
  const text = `(${typed.object}->>${bind(typed.path[0])}::text) collate "C"`;
  return { ...plain, each: ranges('text'), where: `${text} >= r.since and ${text} < r.before`, value: text };
}

/** Of an object that holds dates as texts. */
function keyOf(field: Field | undefined): string | undefined {
  if (field?.type === 'json') return field.key;
  return field?.typed?.type === 'date' ? field.typed.path[0] : undefined;
}

const textOfTime = (sql: string) => `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

function widened(date: string): { from: Date; before: Date } {
  const start = Date.parse(`${date}T00:00Z`);
  return { from: new Date(start - widest.before), before: new Date(start + 24 * hour + widest.after) };
}
