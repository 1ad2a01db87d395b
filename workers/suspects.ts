/** Deaths of its worker over one attempt at which it was at work beyond doubt: a suspect writes that it begins. Then the job is given up. */
export const maxStalls = 5;
/** At a worker's death a run may be under way by chance, once or twice, or only be taken. */
export const suspectAfter = 2;
/** From then on it is alone: somebody who kills workers must hit it again and again while it is. */
const aloneAfter = 3;
/** What kills its worker mostly does so soon: after this the next one begins, and slow ones do not add up to hours. */
const aloneMs = 1_000;
/** Each return costs the queue a round trip: they are spread. */
const [minPutOffMs, putOffGapMs] = [200, 10];

type Entered = { leave(): void } | { putOffMs: number };
export type Suspects = { enter(deaths: number): Entered };

/**
 * Runs that were under way at several deaths of a worker begin one after the other, and one with few lives left is alone until its end: what
 * kills the worker is given up, and those that were only beside it are not. One for all queues of a process, which die together.
 */
export function createSuspects(now = () => performance.now()): Suspects {
  const atWork = new Set<{ since: number; isAlone: boolean }>();
  let lastReturnAt = 0;

  function mayEnter(isAlone: boolean) {
    if (isAlone) return atWork.size === 0;
    for (const other of atWork) if (other.isAlone || now() - other.since < aloneMs) return false;
    return true;
  }

  return {
    enter(deaths) {
      const isAlone = deaths >= aloneAfter;
      if (!mayEnter(isAlone)) {
        lastReturnAt = Math.max(now() + minPutOffMs, lastReturnAt + putOffGapMs);
        return { putOffMs: lastReturnAt - now() };
      }
      const one = { since: now(), isAlone };
      atWork.add(one);
      return {
        leave() {
          atWork.delete(one);
        },
      };
    },
  };
}
