import pg from 'pg';
import { type BatchResult, sendBatch } from './batch.ts';
import { nameOf } from './statement-names.ts';

type Done = (error: Error | null, result?: BatchResult) => void;

/**
 * The ledger's statements take longer to plan than to run; the driver prepares only named ones (ledger/states.ts, open.ts). What has
 * parameters goes as a batch of one, which asks for the columns of a prepared statement only once.
 */
export class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the driver's signature has nine shapes, of which this needs two
  override query(...given: any[]): any {
    const [text, params, done] = given;
    const isPrepared = typeof text === 'string' && Array.isArray(params) && params.length > 0 && nameOf(text) !== undefined;
    if (!isPrepared) return super.query(...(given as Parameters<pg.Client['query']>));
    const send = (ended: Done) =>
      sendBatch(
        (batch) => super.query(batch as never),
        [{ text, params }],
        (error, results) => ended(error, results?.[0]),
      );
    if (done) return void send(done as Done);
    return new Promise((resolve, reject) => send((error, result) => (error ? reject(error) : resolve(result))));
  }
}
