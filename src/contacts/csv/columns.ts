export const fieldColumns = ['phone_number', 'name', 'email', 'external_source', 'external_id'] as const;
export type FieldColumn = (typeof fieldColumns)[number];

/** Some contacts have no other identity with a column. */
export const idColumn = 'id';
/** An import ignores these columns. */
export const timeColumns = ['created_at', 'updated_at'] as const;
export const tagsColumn = 'tags';

/** The same for exports and imports: an export can be imported again. */
export const maxColumns = 500;
export const maxCustomColumns = maxColumns - [idColumn, ...fieldColumns, tagsColumn, ...timeColumns].length;

const prefix = 'custom_fields.';
export const customColumn = (key: string) => `${prefix}${key}`;
export const customKeyOf = (column: string) => (column.startsWith(prefix) ? column.slice(prefix.length) : undefined);
