import { getMessageRequest } from '../paths/http.ts';
import { median } from '../statistics.ts';
import { type Asked, evenPace, fullRate } from './even-pace.ts';
import { metOf, type OpenVictim } from './victim.ts';

/** GET /v1/messages/{id} at half of what it reaches alone; at a quarter where messages through the worker are the other half of the load. */
export const openGet: OpenVictim = async ({ kanal }, base, isAlone) => {
  const next = () => getMessageRequest(kanal);
  const half = Math.round((await warmRate(base, next)) / (isAlone ? 2 : 4));
  return {
    name: 'get',
    what: `GET /v1/messages/{id}, ${half} a second`,
    round: async (seconds) => metOf(await evenPace(base, half, seconds, next), seconds),
    close: async () => undefined,
  };
};

const maxLooks = 10;
const looksOfMedian = 5;
const isFaster = 1.1;

/**
 * What it reaches when its code is warm: looked at again until a second is no faster than all before it, then the median of some more. Half of
 * one lucky second is more than a noisy machine sustains.
 */
async function warmRate(base: string, next: () => Asked): Promise<number> {
  let best = await fullRate(base, 2, next);
  for (let look = 0; look < maxLooks; look += 1) {
    const rate = await fullRate(base, 1, next);
    if (rate <= best * isFaster && look > 0) break;
    best = Math.max(best, rate);
  }
  const rates: number[] = [];
  while (rates.length < looksOfMedian) rates.push(await fullRate(base, 1, next));
  return median(rates);
}
