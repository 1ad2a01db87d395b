/** No index fits this text (as stateIs): a plan made while a table is small would read all rows of the organization. */
export const isOwn = (table: string) => `(${table}.organization_id = $1) is true`;
