import { raw } from '@mikro-orm/core';
import type { Em } from '../../../src/platform/database/database.ts';
import { uuidv7 } from '../../../src/platform/ids.ts';
import type { Body } from '../app.ts';

/** An app, a house, or a support object with a house. */
export type At = { em(): Em } | { house: { em(): Em } };

type AnyEntity = { name: string; meta: { properties: object }; readonly '~entity': object };
/** The row that an entity describes. JSON without a declared shape has the type of a reply's body. */
type RowOf<Entity extends AnyEntity> = Seen<Omit<Entity['~entity'], symbol>>;
type Seen<Row> = { [Column in keyof Row]-?: unknown extends Row[Column] ? Body : Exclude<Row[Column], undefined> };
type Condition<Value> =
  | Value
  | null
  | {
      $in?: readonly NonNullable<Value>[];
      $nin?: readonly NonNullable<Value>[];
      $ne?: Value | null;
      $lt?: Value;
      $gt?: Value;
      $like?: string;
    };
/** An id, or conditions that hold together. */
export type Which<Row> = string | { [Column in keyof Row]?: Condition<Row[Column]> };
export type Change<Row> = { [Column in keyof Row]?: Row[Column] | null };
type Order<Row> = { [Column in keyof Row]?: 'asc' | 'desc' };

export const emOf = (at: At): Em => ('house' in at ? at.house.em() : at.em());
const conditions = (which: unknown) => (typeof which === 'string' ? { id: which } : which) as never;

/**
 * Reads and writes the rows of one table directly: for a state that no call creates, and for one that no call shows.
 * The entity names the table and its columns, so the compiler finds each use of a column that changes.
 */
export function rowsOf<Entity extends AnyEntity>(entity: Entity) {
  type Row = RowOf<Entity>;
  const hasId = 'id' in entity.meta.properties;

  async function all(at: At, which?: Which<Row>): Promise<Row[]>;
  async function all<Column extends keyof Row>(
    at: At,
    which: Which<Row>,
    columns?: readonly Column[],
    order?: Order<Row>,
  ): Promise<Pick<Row, Column>[]>;
  async function all(at: At, which: Which<Row> = {}, columns?: readonly (keyof Row)[], order?: Order<Row>): Promise<object[]> {
    // Without an order the database may give any row first.
    const orderBy = order ?? (hasId && { id: 'asc' });
    const options = { ...(columns && { fields: columns }), ...(orderBy && { orderBy }) };
    const rows = (await emOf(at).find(entity as never, conditions(which), options as never)) as unknown as Row[];
    if (!columns) return rows as object[];
    return rows.map((row) => Object.fromEntries(columns.map((column) => [column, row[column]])));
  }

  async function one(at: At, which: Which<Row>): Promise<Row>;
  async function one<Column extends keyof Row>(at: At, which: Which<Row>, columns: readonly Column[]): Promise<Pick<Row, Column>>;
  async function one(at: At, which: Which<Row>, columns?: readonly (keyof Row)[]): Promise<object> {
    const [row, ...others] = columns ? await all(at, which, columns) : await all(at, which);
    if (!row || others.length > 0)
      throw new Error(`${entity.name}: ${row ? others.length + 1 : 0} rows, not one, match ${JSON.stringify(which)}`);
    return row;
  }

  return {
    all,
    /** Throws unless exactly one row matches. */
    one,
    count: (at: At, which: Which<Row> = {}): Promise<number> => emOf(at).count(entity as never, conditions(which)),
    /** Returns how many rows it changed. */
    change: (at: At, which: Which<Row>, change: Change<Row>): Promise<number> =>
      emOf(at).nativeUpdate(entity as never, conditions(which), change as never),
    /** Creates an id where the row has none, and returns it. */
    async add(at: At, row: Change<Row>): Promise<string> {
      const id = (row as { id?: string }).id ?? uuidv7();
      await emOf(at).insert(entity as never, (hasId ? { id, ...row } : row) as never);
      return id;
    },
    async addAll(at: At, rows: Change<Row>[]): Promise<void> {
      const whole = hasId ? rows.map((row) => ({ id: uuidv7(), ...row })) : rows;
      if (whole.length > 0) await emOf(at).insertMany(entity as never, whole as never);
    },
    remove: (at: At, which: Which<Row> = {}): Promise<number> => emOf(at).nativeDelete(entity as never, conditions(which)),
  };
}

/** A time by the database's clock: `ago('11 min')`, `ahead('1 day')`. */
export const ago = (interval: string) => raw('clock_timestamp() - ?::interval', [interval]) as unknown as string;
export const ahead = (interval: string) => raw('clock_timestamp() + ?::interval', [interval]) as unknown as string;
export const rightNow = () => raw('clock_timestamp()') as unknown as string;
/** The time that a column has, moved into the past. */
export const movedBack = (column: string, interval: string) => raw('?? - ?::interval', [column, interval]) as unknown as string;
/** One more than the column has. */
export const oneMore = (column: string) => raw('?? + 1', [column]) as unknown as number;
