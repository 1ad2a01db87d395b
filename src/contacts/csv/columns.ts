/** The columns of a contact's own fields, as the API names them. */
export const fieldColumns = ['phone_number', 'name', 'email', 'external_source', 'external_id'] as const;
export type FieldColumn = (typeof fieldColumns)[number];

/** Of a contact that is there already: some are known by nothing else that has a column. */
export const idColumn = 'id';
/** Written by an export for people to read; an import takes no notice of them. */
export const timeColumns = ['created_at', 'updated_at'] as const;
export const tagsColumn = 'tags';

/** Of a file, in both directions: what is exported can be imported. */
export const maxColumns = 500;
export const maxCustomColumns = maxColumns - [idColumn, ...fieldColumns, tagsColumn, ...timeColumns].length;

const prefix = 'custom_fields.';
export const customColumn = (key: string) => `${prefix}${key}`;
/** The custom field a column holds. */
export const customKeyOf = (column: string) => (column.startsWith(prefix) ? column.slice(prefix.length) : undefined);
