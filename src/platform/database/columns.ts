import { type EntityProperty, type Platform, p, raw, Type } from '@mikro-orm/core';
import { uuidv7 } from '../ids.ts';

/** A timestamptz as the database writes it. A Date would lose the microseconds that a cursor needs. */
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

/** The database's clock, as a value to write. What it wrote is in the entity after the flush. */
export const now = () => raw('clock_timestamp()') as unknown as string;

/** A time so long after the database's present one, as a value to write. */
export const fromNow = (amount: number, unit: 'minute' | 'hour' | 'day') =>
  raw(`clock_timestamp() + ? * interval '1 ${unit}'`, [amount]) as unknown as string;

export const timestamp = () => p.type(Timestamp);
/** A time that the database fills in when the row is written, and that the entity has after the flush. */
export const timestampNow = () => timestamp().returning().defaultRaw('clock_timestamp()');

export const id = () => p.uuid().primary().onCreate(uuidv7);
export const created = () => ({ created_at: timestampNow() });
export const times = () => ({ ...created(), updated_at: timestampNow().onUpdate(now) });
/** Of a table whose rows belong to an organization. */
export const tenant = () => ({ id: id(), organization_id: p.uuid() });

/** Text that the database computes from the row's other columns. It is never written, and read only when a query asks for it. */
export const computed = (expression: string) =>
  p.text().generated(expression).lazy() as unknown as ReturnType<ReturnType<typeof p.text>['defaultRaw']>;

/** A number that the database counts up. It is never written. */
export const identity = () =>
  p.bigint('string').generated('identity') as unknown as ReturnType<ReturnType<typeof p.bigint<'string'>>['defaultRaw']>;
