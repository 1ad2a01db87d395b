import pg, { type Connection, type Pool, type PoolClient } from 'pg';
import { nameOf } from './statement-names.ts';

/** `isOnce`: not prepared, as there are many texts like it. */
export type BatchStatement = { text: string; params: unknown[]; isOnce?: boolean };
type Row = Record<string, unknown>;
export type BatchResult = { rows: Row[]; rowCount: number | null; command: string | null };

// What pg has and its types leave out: how a value travels, a statement's result, and the statements a connection has prepared.
type Columns = Record<'fields' | '_parsers' | '_prebuiltEmptyResultObject', unknown>;
type Given = BatchResult &
  Columns & {
    fields: unknown[];
    _types?: unknown;
    addFields(fields: unknown): void;
    addRow(row: Row): void;
    parseRow(fields: unknown): Row;
    addCommandComplete(message: unknown): void;
  };
const { Result, utils } = pg as unknown as {
  Result: new () => Given;
  utils: { prepareValue(value: unknown): string | Buffer | null };
};
type Preparing = Connection & Record<'parsedStatements' | 'submittedNamedStatements', Record<string, string>>;
type Step = { name: string; text: string; values: (string | Buffer | null)[]; result: Given; isDescribed: boolean };

/**
 * The columns of the statements that a connection has prepared, by their names: the server need not describe them again, which takes
 * longer than many a row.
 */
const described = new WeakMap<Connection, Map<string, Columns>>();

function describedOf(connection: Connection): Map<string, Columns> {
  const known = described.get(connection) ?? new Map<string, Columns>();
  described.set(connection, known);
  return known;
}

/**
 * Several statements in one round trip and one transaction: PostgreSQL commits at the end of the batch; an error in one undoes
 * all. Each has its own snapshot, so what follows a lock is younger than the wait for it. pg sends it as one query
 * (`submit`, as for pg-cursor) and passes the server's answers to the methods below, in order.
 */
class Batch {
  callback: (error: Error | null, results?: BatchResult[]) => void = () => {};
  /** pg gives it the connection's types. */
  readonly _result = new Result();
  readonly #steps: Step[];
  readonly #before: number;
  #current = 0;
  readonly #submitted: string[] = [];
  #unreadable: Error | undefined;
  #described: Map<string, Columns> | undefined;

  /** `before`: the number of its first statement. */
  constructor(statements: BatchStatement[], before = 0) {
    this.#before = before;
    // Converted first: an error here must not leave a batch half sent.
    this.#steps = statements.map(({ text, params, isOnce }) => ({
      name: (isOnce ? undefined : nameOf(text)) ?? '',
      text,
      values: params.map((value) => utils.prepareValue(value)),
      result: new Result(),
      isDescribed: false,
    }));
  }

  /** The statement that the server confirms next; pg notes it as prepared. */
  get name() {
    return this.#steps[this.#current]?.name;
  }
  get text() {
    return this.#steps[this.#current]?.text;
  }

  submit(given: Connection) {
    const connection = given as Preparing;
    const known = describedOf(connection);
    this.#described = known;
    connection.stream.cork();
    for (const step of this.#steps) {
      const { name, text, values, result } = step;
      result._types = this._result._types;
      const isPrepared = name && (connection.parsedStatements[name] || connection.submittedNamedStatements[name]);
      if (!isPrepared) {
        connection.parse({ name, text, types: [] }, true);
        if (name) connection.submittedNamedStatements[name] = text;
        if (name) this.#submitted.push(name);
      }
      connection.bind({ statement: name, values }, true);
      const columns = isPrepared ? known.get(name) : undefined;
      if (columns) {
        step.isDescribed = true;
        Object.assign(result, columns);
      } else connection.describe({ type: 'P', name: '' }, true);
      connection.execute({}, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { fields: unknown }) {
    this.#steps[this.#current]!.result.addFields(fields);
  }
  handleDataRow({ fields }: { fields: unknown[] }) {
    const { name, result } = this.#steps[this.#current]!;
    try {
      // A pooler may have prepared the statement anew on another connection, after a migration.
      if (fields.length !== result.fields.length) {
        this.#described?.delete(name);
        throw new Error('A prepared statement has other columns than before');
      }
      result.addRow(result.parseRow(fields));
    } catch (error) {
      // In the socket's handler it would end the process.
      this.#unreadable ??= error as Error;
    }
  }
  handleCommandComplete(message: unknown) {
    const { name, result, isDescribed } = this.#steps[this.#current]!;
    result.addCommandComplete(message);
    const { fields, _parsers, _prebuiltEmptyResultObject } = result;
    if (name && !isDescribed) this.#described?.set(name, { fields, _parsers, _prebuiltEmptyResultObject });
    this.#current += 1;
  }
  handleError(error: Error, connection: Connection) {
    // The server passed over what followed: it is not prepared.
    for (const name of this.#submitted) delete (connection as Preparing).submittedNamedStatements[name];
    this.callback(Object.assign(error, { step: this.#before + this.#current }));
  }
  handleReadyForQuery() {
    // Committed all the same: as when the answer is lost.
    if (this.#unreadable) return this.callback(this.#unreadable);
    this.callback(
      null,
      this.#steps.map(({ result }) => result),
    );
  }
}

/** `query` submits to a connection. A value that cannot be sent is an error of the batch, and nothing is sent. */
export function sendBatch(query: (batch: object) => void, statements: BatchStatement[], done: Batch['callback']): void {
  let batch: Batch;
  try {
    batch = new Batch(statements);
  } catch (error) {
    process.nextTick(done, error as Error);
    return;
  }
  batch.callback = done;
  query(batch);
}

const answersOf = (client: PoolClient, batch: Batch) =>
  new Promise<Row[][]>((resolve, reject) => {
    batch.callback = (error, given) => (error ? reject(error) : resolve(given!.map(({ rows }) => rows)));
    client.query(batch as never);
  });

/** The rows of each statement. An error has the number of its statement in `step`. */
export async function runBatch(pool: Pool, statements: BatchStatement[]): Promise<Row[][]> {
  const batch = new Batch(statements);
  const client = await pool.connect();
  try {
    const rows = await answersOf(client, batch);
    client.release();
    return rows;
  } catch (error) {
    // The server refused a statement: the connection is sound, and keeps what it has prepared.
    const isSound = (error as { severity?: string }).severity === 'ERROR';
    client.release(isSound ? undefined : (error as Error));
    throw error;
  }
}

const begin: BatchStatement = { text: 'begin', params: [] };
const commit: BatchStatement = { text: 'commit', params: [] };

/** One transaction of two batches: the last statement is made of what the first ones gave. An error in any undoes all. */
export async function runTwoBatches(
  pool: Pool,
  first: BatchStatement[],
  last: (rows: Row[][]) => BatchStatement | Promise<BatchStatement>,
): Promise<void> {
  const opening = new Batch([begin, ...first], -1);
  const client = await pool.connect();
  try {
    const [, ...rows] = await answersOf(client, opening);
    await answersOf(client, new Batch([await last(rows), commit], first.length));
    client.release();
  } catch (error) {
    await client.query('rollback').then(
      () => client.release(),
      (failed) => client.release(failed),
    );
    throw error;
  }
}
