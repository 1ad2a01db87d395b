/** Moves this process's clock for as long as `work` takes: what is cached grows old without a wait. The database has its own clock. */
export async function later<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  const steady = performance.now.bind(performance);
  performance.now = () => steady() + ms;
  try {
    return await work();
  } finally {
    performance.now = steady;
  }
}
