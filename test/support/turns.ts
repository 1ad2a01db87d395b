/** So many turns of the event loop: what is due now, also from a socket, has been read then. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until the value has stayed the same for a hundred turns of the event loop. */
export async function whenStill<Value>(read: () => Value): Promise<Value> {
  let last = read();
  for (let same = 0; same < 100; same += 1) {
    await turns(1);
    const value = read();
    if (value !== last) [last, same] = [value, 0];
  }
  return last;
}

/** Waits for so many round trips to the database: what waits neither for a lock nor for its turn has been written then. */
export async function roundTrips(query: (text: string) => Promise<unknown>, count = 30): Promise<void> {
  for (let trip = 0; trip < count; trip += 1) await query('select 1');
}
