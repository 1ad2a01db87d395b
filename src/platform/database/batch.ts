import pg, { type Connection, type Pool } from 'pg';
import { nameOf } from './preparing-client.ts';

/** `isOnce`: not prepared, as there are many texts like it. */
export type BatchStatement = { text: string; params: unknown[]; isOnce?: boolean };
type Row = Record<string, unknown>;

// What pg has and its types leave out: how a value travels, a statement's result, and the statements a connection has prepared.
type Given = {
  rows: Row[];
  _types?: unknown;
  addFields(fields: unknown): void;
  addRow(row: Row): void;
  parseRow(fields: unknown): Row;
};
const { Result, utils } = pg as unknown as {
  Result: new () => Given;
  utils: { prepareValue(value: unknown): string | Buffer | null };
};
type Preparing = Connection & Record<'parsedStatements' | 'submittedNamedStatements', Record<string, string>>;
type Step = { name: string; text: string; values: (string | Buffer | null)[]; result: Given };

/**
 * Several statements in one round trip and one transaction: PostgreSQL commits at the end of the batch; an error in one undoes
 * all. Each has its own snapshot, so what follows a lock is younger than the wait for it. pg sends it as one query
 * (`submit`, as for pg-cursor) and passes the server's answers to the methods below, in order.
 */
class Batch {
  callback: (error: Error | null, rows?: Row[][]) => void = () => {};
  /** pg gives it the connection's types. */
  readonly _result = new Result();
  readonly #steps: Step[];
  #current = 0;
  readonly #submitted: string[] = [];
  #unreadable: Error | undefined;

  constructor(statements: BatchStatement[]) {
    // Converted first: an error here must not leave a batch half sent.
    this.#steps = statements.map(({ text, params, isOnce }) => ({
      name: (isOnce ? undefined : nameOf(text)) ?? '',
      text,
      values: params.map((value) => utils.prepareValue(value)),
      result: new Result(),
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
    connection.stream.cork();
    for (const { name, text, values, result } of this.#steps) {
      result._types = this._result._types;
      if (!name || !(connection.parsedStatements[name] || connection.submittedNamedStatements[name])) {
        connection.parse({ name, text, types: [] }, true);
        if (name) connection.submittedNamedStatements[name] = text;
        if (name) this.#submitted.push(name);
      }
      connection.bind({ statement: name, values }, true);
      connection.describe({ type: 'P', name: '' }, true);
      connection.execute({}, true);
    }
    connection.sync();
    connection.stream.uncork();
  }

  handleRowDescription({ fields }: { fields: unknown }) {
    this.#steps[this.#current]!.result.addFields(fields);
  }
  handleDataRow({ fields }: { fields: unknown }) {
    const { result } = this.#steps[this.#current]!;
    try {
      result.addRow(result.parseRow(fields));
    } catch (error) {
      // In the socket's handler it would end the process.
      this.#unreadable ??= error as Error;
    }
  }
  handleCommandComplete() {
    this.#current += 1;
  }
  handleError(error: Error, connection: Connection) {
    // The server passed over what followed: it is not prepared.
    for (const name of this.#submitted) delete (connection as Preparing).submittedNamedStatements[name];
    this.callback(Object.assign(error, { step: this.#current }));
  }
  handleReadyForQuery() {
    // Committed all the same: as when the answer is lost.
    if (this.#unreadable) return this.callback(this.#unreadable);
    this.callback(
      null,
      this.#steps.map(({ result }) => result.rows),
    );
  }
}

/** The rows of each statement. An error has the number of its statement in `step`. */
export async function runBatch(pool: Pool, statements: BatchStatement[]): Promise<Row[][]> {
  const batch = new Batch(statements);
  const client = await pool.connect();
  try {
    const rows = await new Promise<Row[][]>((resolve, reject) => {
      batch.callback = (error, given) => (error ? reject(error) : resolve(given!));
      client.query(batch as never);
    });
    client.release();
    return rows;
  } catch (error) {
    // The server refused a statement: the connection is sound, and keeps what it has prepared.
    const isSound = (error as { severity?: string }).severity === 'ERROR';
    client.release(isSound ? undefined : (error as Error));
    throw error;
  }
}
