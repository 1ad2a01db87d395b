import { setImmediate as turnOfOthers } from 'node:timers/promises';

/** Goes through many items without keeping the process to itself: after each `size` of them others have their turn. Few cost no turn. */
export async function inTurns<Item>(items: Iterable<Item>, size: number, work: (item: Item) => void): Promise<void> {
  let done = 0;
  for (const item of items) {
    if (done > 0 && done % size === 0) await turnOfOthers();
    work(item);
    done += 1;
  }
}
