import type { Pool, PoolClient } from 'pg';

type Wire = { write(...args: unknown[]): boolean; on(event: 'data', heard: () => void): void };

/** Counts on the wire: what is written before the server answers is one round trip, however many statements it holds. */
export function countRoundTrips(pool: Pool) {
  const watched = new WeakSet<PoolClient>();
  let count = 0;
  pool.on('acquire', (client) => {
    if (watched.has(client)) return;
    watched.add(client);
    const { stream } = (client as unknown as { connection: { stream: Wire } }).connection;
    const write = stream.write.bind(stream);
    let isAwaited = false;
    stream.write = (...args) => {
      if (!isAwaited) count += 1;
      isAwaited = true;
      return write(...args);
    };
    stream.on('data', () => {
      isAwaited = false;
    });
  });
  return {
    async during(work: () => Promise<unknown>): Promise<number> {
      const before = count;
      await work();
      return count - before;
    },
  };
}
