/**
 * A condition that a row found by its id belongs to the organization, $1. Written so that no index fits it: planned while a table is nearly
 * empty, a statement would read an index that begins with the organization to its end instead of looking the id up, and a prepared plan
 * goes on doing so when there are many rows. As stateIs in src/platform/ledger/states.ts.
 */
export const isOwn = (table: string) => `(${table}.organization_id = $1) is true`;
