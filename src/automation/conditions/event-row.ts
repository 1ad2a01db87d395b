import type { Own } from '../../platform/database/own.ts';
import { statement } from '../../platform/database/statement.ts';
import type { RowOf } from '../../platform/database/tables.ts';
import { Event } from '../../platform/events/event.entity.ts';
import { isUuid } from '../../platform/ids.ts';

const columns = ['id', 'type', 'subject_type', 'subject_id', 'data', 'created_at'] as const;
export type EventRow = RowOf<typeof Event, (typeof columns)[number]>;

const byId = statement((select, { id }: { id: string }) => select(Event).select(columns).where('id', '=', id));

/** Undefined once it was purged. */
export async function findEvent(own: Own, id: string): Promise<EventRow | undefined> {
  const [row] = await byId(own, { id });
  return row;
}

export function idIn({ data }: Pick<EventRow, 'data'>, name: string): string | undefined {
  const id = Object.hasOwn(data, name) ? data[name] : undefined;
  return typeof id === 'string' && isUuid(id) ? id : undefined;
}
