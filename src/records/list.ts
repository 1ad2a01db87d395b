import type { ListedTable } from '../platform/listing/table.ts';
import { recordColumns } from './record-row.ts';
import type { ObjectType } from './types/definition.ts';
import { recordFieldsOf } from './types/listing.ts';

/** The records of a type that are not in the bin. */
export const recordsOf = (type: ObjectType): ListedTable => ({
  name: 'records',
  fields: recordFieldsOf(type),
  columns: recordColumns,
  where: (bind) => `k.type_id = ${bind(type.id)}::uuid and k.deleted_at is null`,
});
