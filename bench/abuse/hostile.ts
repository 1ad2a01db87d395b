import { setPriority } from 'node:os';
import type { Stop } from './abuse.ts';
import { abuses } from './index.ts';
import { createTally } from './tally.ts';

/** The hostile client's process. Its parent says what to do, and asks for the answers at the end of a round. */
type Order = { start: { number: number; what: string; target: unknown } } | { stop: true } | 'usage';

/** In life it has a machine of its own: here it takes what the others leave of this one. */
setPriority(19);

let tally = createTally();
let stop: Stop | undefined;

process.on('message', async (order: Order) => {
  if (order === 'usage') return;
  if ('start' in order) {
    const { number, what, target } = order.start;
    tally = createTally();
    stop = await abuses.find((one) => one.number === number && one.what === what)!.attack(target, tally);
    process.send?.({ started: true });
    return;
  }
  await stop?.();
  stop = undefined;
  process.send?.({ counts: tally.counts() });
});
// Between two rounds nothing else keeps it here; its parent's end does end it.
process.channel?.ref();
