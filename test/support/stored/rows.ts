import { type InferEntity, JsonType } from '@mikro-orm/core';
import type { Kysely } from 'kysely';
import type { Em } from '../../../src/platform/database/database.ts';
import { query } from '../../../src/platform/database/query.ts';
import { tables } from '../../../src/platform/database/tables.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';

export type Database = { em(): Em };
type Entity = { name: string; tableName: string; meta: { properties: object }; readonly '~entity': object };
type Columns<Of extends Entity> = keyof InferEntity<Of> & string;
// biome-ignore lint/suspicious/noExplicitAny: the names of columns are checked; a test writes and reads values without narrowing each of them
type Value = any;
type Values<Of extends Entity> = { [Column in Columns<Of>]?: Value };
type Key<Of extends Entity> = string | string[] | undefined | Values<Of>;
type Read<Of extends Entity> = { columns?: Columns<Of>[]; orderBy?: Columns<Of> | [Columns<Of>, 'desc'] };

/** The driver writes an array as an array of PostgreSQL, but a column of JSON expects text. */
function encoded({ meta, tableName }: Entity, row: object): Record<string, unknown> {
  const properties = meta.properties as Record<string, { type?: unknown }>;
  const columns = Object.entries(row).map(([name, value]) => {
    if (properties[name]?.type !== JsonType || value === null) return [name, value];
    if (typeof value === 'string') throw new Error(`${tableName}.${name} takes the value, not its text`);
    return [name, JSON.stringify(value)];
  });
  return Object.fromEntries(columns);
}

/**
 * The rows of one table as its entity describes them: for what no reply of the API shows, and for states that only a worker, the provider or time
 * brings about. A string as key is the row's id, an array several ids.
 */
export function storedRows<Of extends Entity>(entity: Of) {
  const kysely = ({ em }: Database) => tables<Record<string, Record<string, unknown>>>(em()) as Kysely<Record<string, object>>;
  const run = <Found>(app: Database, { sql, parameters }: { sql: string; parameters: readonly unknown[] }) =>
    query<Found>(app.em(), sql, [...parameters]);

  // biome-ignore lint/suspicious/noExplicitAny: the table is known only to the caller
  function within<Builder extends { where: (...condition: any[]) => any }>(builder: Builder, key: Key<Of>): Builder {
    if (key === undefined) throw new Error(`No key of ${entity.tableName}`);
    let narrowed = builder;
    for (const [column, value] of Object.entries(typeof key === 'string' || Array.isArray(key) ? { id: key } : key)) {
      if (value === undefined) throw new Error(`No ${column} of ${entity.tableName}`);
      const operator = value === null ? 'is' : Array.isArray(value) ? 'in' : '=';
      narrowed = narrowed.where(column, operator, value);
    }
    return narrowed;
  }

  async function all(app: Database, key: Key<Of> = {}, { columns, orderBy }: Read<Of> = {}): Promise<Value[]> {
    const from = within(kysely(app).selectFrom(entity.tableName), key);
    const selected = columns ? from.select(columns as never) : from.selectAll();
    // Without an order the database may give any row first.
    const [by, direction] =
      typeof orderBy === 'object' ? orderBy : [orderBy ?? ('id' in entity.meta.properties ? 'id' : undefined)];
    return run(app, (by ? selected.orderBy(by as never, direction ?? 'asc') : selected).compile());
  }

  async function addAll(app: Database, rows: Values<Of>[]): Promise<string[]> {
    const hasId = 'id' in entity.meta.properties;
    const made: Record<string, unknown>[] = rows.map((row) => (hasId ? { id: uuidv7(), ...row } : { ...row }));
    // A statement has at most 65,535 parameters.
    for (let start = 0; start < made.length; start += 1_000) {
      const values = made.slice(start, start + 1_000).map((row) => encoded(entity, row));
      await run(
        app,
        kysely(app)
          .insertInto(entity.tableName)
          .values(values as never)
          .compile(),
      );
    }
    return made.map(({ id }) => String(id));
  }

  return {
    all,
    /** The only row with this key. */
    async one(app: Database, key: Key<Of>, columns?: Columns<Of>[]): Promise<Value> {
      const rows = await all(app, key, { columns });
      if (rows.length !== 1) throw new Error(`${rows.length} rows of ${entity.tableName}: ${JSON.stringify(key)}`);
      return rows[0];
    },
    async count(app: Database, key: Key<Of> = {}): Promise<number> {
      const from = within(kysely(app).selectFrom(entity.tableName), key);
      const [row] = await run<{ count: string }>(app, from.select(({ fn }) => fn.countAll().as('count')).compile());
      return Number(row!.count);
    },
    /** Throws where no row has the key: a state that was not set would prove nothing. */
    async change(app: Database, key: Key<Of>, change: Values<Of>): Promise<void> {
      const update = within(
        kysely(app)
          .updateTable(entity.tableName)
          .set(encoded(entity, change) as never),
        key,
      );
      const changed = await run(app, update.returning(({ lit }) => lit(1).as('changed')).compile());
      if (changed.length === 0) throw new Error(`No row of ${entity.tableName} to change: ${JSON.stringify(key)}`);
    },
    async remove(app: Database, key: Key<Of>): Promise<void> {
      await run(app, within(kysely(app).deleteFrom(entity.tableName), key).compile());
    },
    /** The id of the new row, for a table whose rows have one. */
    async add(app: Database, row: Values<Of>): Promise<string> {
      const [id] = await addAll(app, [row]);
      return id!;
    },
    addAll,
    /** `rowOf` gets the number of each, from 1. */
    addMany: (app: Database, count: number, rowOf: (number: number) => Values<Of>) =>
      addAll(
        app,
        Array.from({ length: count }, (_, index) => rowOf(index + 1)),
      ),
  };
}
