import type { Duplex } from 'node:stream';
import type { Pool, PoolClient } from 'pg';
import { waitFor } from './wait-for.ts';

/**
 * The server does what the n-th round trip asks for, and its answer is lost, with the connection. `dies`: nothing gets through from there on, as
 * of a process that was killed: also as if it had died before the next one.
 */
export type Cut = { at: number; dies: boolean };
type Ended = { isCut: boolean; error?: unknown };

const lost = () => Object.assign(new Error('Connection terminated by the test'), { code: 'ECONNRESET' });
/** Of the protocol: ReadyForQuery is the last of an answer. */
const isAnswered = (tail: Buffer) => tail.length === 6 && tail[0] === 0x5a && tail.readInt32BE(1) === 5;

/** Counts round trips on the wire, as test/support/round-trips.ts, of all connections of the pool, and cuts one. */
export function cutConnections(pool: Pool) {
  const watched = new WeakSet<PoolClient>();
  let cut: Cut | undefined;
  let count = 0;
  let isCut = false;

  function watch(client: PoolClient) {
    const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection;
    if (isDead()) stream.destroy(lost());
    if (watched.has(client)) return;
    watched.add(client);
    const [write, emit] = [stream.write.bind(stream), stream.emit.bind(stream)];
    let isAwaited = false;
    let isLosing = false;
    let tail = Buffer.alloc(0);
    stream.write = ((...args: Parameters<typeof write>) => {
      if (!isAwaited) {
        isAwaited = true;
        count += 1;
        if (cut && !isCut && count === cut.at) {
          isCut = true;
          isLosing = true;
        } else if (isDead()) stream.destroy(lost());
      }
      return stream.destroyed || write(...args);
    }) as typeof stream.write;
    stream.emit = ((event: string, ...args: unknown[]) => {
      if (event !== 'data') return emit(event, ...args);
      tail = Buffer.concat([tail, args[0] as Buffer]).subarray(-6);
      const isWhole = isAnswered(tail);
      if (isWhole) isAwaited = false;
      if (!isLosing) return emit(event, ...args);
      if (isWhole) stream.destroy(lost());
      return true;
    }) as typeof stream.emit;
  }
  pool.on('acquire', watch);

  const isDead = () => isCut && cut?.dies === true;
  const isQuiet = () => pool.waitingCount === 0 && pool.idleCount === pool.totalCount;

  return {
    isDead,
    /** What `work` began to do beside it is over too. */
    async during(asked: Cut | undefined, work: () => Promise<unknown>): Promise<Ended> {
      await waitFor('the connections', isQuiet);
      [cut, count, isCut] = [asked, 0, false];
      const ended: Ended = { isCut };
      try {
        await work();
      } catch (error) {
        ended.error = error;
      }
      await waitFor('the connections', isQuiet);
      ended.isCut = isCut;
      [cut, isCut] = [undefined, false];
      return ended;
    },
  };
}
