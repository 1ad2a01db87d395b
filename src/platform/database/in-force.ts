import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** SQL: the condition that a row has no end, or one still to come by the database's clock; expired rows are ignored. */
export const inForceSql = (column: string) => `(${column} is null or ${column} > clock_timestamp())`;

export const inForce = (column: string): RawBuilder<SqlBool> => sql.raw<SqlBool>(inForceSql(column));
