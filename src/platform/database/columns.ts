import { type EntityProperty, type Platform, p, raw, Type } from '@mikro-orm/core';
import { uuidv7 } from '../ids.ts';

/** A timestamptz as text: a Date would lose the microseconds that a cursor needs. */
class Timestamp extends Type<string, string> {
  override getColumnType(_prop: EntityProperty, _platform: Platform) {
    return 'timestamptz';
  }
  override compareAsType() {
    return 'string';
  }
  override ensureComparable() {
    return false;
  }
  override get runtimeType() {
    return 'string';
  }
}

/** The database's clock, as a value to write; the entity has the time after the flush. */
export const now = () => raw('clock_timestamp()') as unknown as string;

export const fromNow = (amount: number, unit: 'minute' | 'hour' | 'day') =>
  raw(`clock_timestamp() + ? * interval '1 ${unit}'`, [amount]) as unknown as string;

export const timestamp = () => p.type(Timestamp);
export const timestampNow = () => timestamp().returning().defaultRaw('clock_timestamp()');

export const id = () => p.uuid().primary().onCreate(uuidv7);
export const created = () => ({ created_at: timestampNow() });
export const times = () => ({ ...created(), updated_at: timestampNow().onUpdate(now) });
/** Both are the primary key: each look at a tenant's row is by organization and id. */
export const tenant = () => ({ organization_id: p.uuid().primary(), id: id() });

/** Computed by the database: never written, and read only when a query asks for it. */
export const computed = (expression: string) =>
  p.text().generated(expression).lazy() as unknown as ReturnType<ReturnType<typeof p.text>['defaultRaw']>;

/** How large these columns are, as JSON in bytes: computed by the database as they are written. */
export const jsonBytes = (...columns: string[]) =>
  p
    .integer()
    .generated(`(${columns.map((column) => `octet_length(${column}::text)`).join(' + ')}) stored`)
    .lazy() as unknown as ReturnType<ReturnType<typeof p.integer>['defaultRaw']>;
