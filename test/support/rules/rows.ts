import type { InferEntity } from '@mikro-orm/core';
import type { Em } from '../../../src/platform/database/database.ts';
import { type NewRow, type OwnEntity, OwnRows } from '../../../src/platform/database/own.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';

/** Rows of an organization without what the product does beside them: no event, no job. */
export const storeRows = <Entity extends OwnEntity>(
  em: Em,
  organizationId: string,
  entity: Entity,
  rows: NewRow<InferEntity<Entity>>[],
): Promise<void> => new OwnRows(em, organizationId).insertMany(entity, rows as object[]);

/** One such row. Its id. */
export async function storeRow<Entity extends OwnEntity>(
  em: Em,
  organizationId: string,
  entity: Entity,
  row: NewRow<InferEntity<Entity>>,
): Promise<string> {
  const id = (row as { id?: string }).id ?? uuidv7();
  await new OwnRows(em, organizationId).insert(entity, { ...row, ...('id' in entity.meta.properties && { id }) });
  return id;
}

/** So many things, made by their number from 1. */
export const times = <Made>(count: number, make: (number: number) => Made): Made[] =>
  Array.from({ length: count }, (_, index) => make(index + 1));

/** These fields of a stored row alone, so that an assertion sees all that is in them. */
export const fieldsOf = <Row extends object, Name extends keyof Row>(row: Row, ...names: Name[]): Pick<Row, Name> =>
  Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>;
