import { maxColumns } from '../../platform/csv/header.ts';

export const fieldColumns = ['phone_number', 'name', 'email', 'external_source', 'external_id'] as const;
export type FieldColumn = (typeof fieldColumns)[number];

/** Some contacts have no other identity with a column. */
export const idColumn = 'id';
/** An import ignores these columns. */
export const timeColumns = ['created_at', 'updated_at'] as const;
export const tagsColumn = 'tags';

export const maxCustomColumns = maxColumns - [idColumn, ...fieldColumns, tagsColumn, ...timeColumns].length;
