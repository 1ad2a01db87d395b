import { setTimeout as sleep } from 'node:timers/promises';

/** A process that works and never speaks to Kanal: what the tenant feels of it is the machine's part. Its parent says how much of a processor it takes. */
type Order = { cores: number } | { stop: true } | 'usage';

/** As long as the pieces of Kanal's own work are, mostly. */
const everyMs = 20;

const spentMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

let isAtWork = false;

async function work(cores: number) {
  const [beganAt, before] = [performance.now(), spentMs()];
  isAtWork = true;
  while (isAtWork) {
    const now = performance.now();
    const due = (now - beganAt) * cores;
    // Time that it did not get is not made up for in one piece.
    while (spentMs() - before < due && performance.now() - now < everyMs) Math.sqrt(now);
    await sleep(Math.max(0, everyMs - (performance.now() - now)));
  }
}

process.on('message', (order: Order) => {
  if (order === 'usage') return;
  if ('cores' in order) {
    void work(order.cores);
    process.send?.({ started: true });
    return;
  }
  isAtWork = false;
  process.send?.({ stopped: true });
});
process.channel?.ref();
