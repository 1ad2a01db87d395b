import { getMessageRequest } from '../paths/http.ts';
import { type Asked, evenPace, fullRate } from './even-pace.ts';
import { metOf, type OpenVictim } from './victim.ts';

/** GET /v1/messages/{id} at half of what it reaches alone. */
export const openGet: OpenVictim = async ({ kanal }, base) => {
  const next = () => getMessageRequest(kanal);
  const half = Math.round((await warmRate(base, next)) / 2);
  return {
    name: 'get',
    what: `GET /v1/messages/{id}, ${half} a second`,
    round: async (seconds) => metOf(await evenPace(base, half, seconds, next), seconds),
    close: async () => undefined,
  };
};

const mostLooks = 10;
const isFaster = 1.1;

/** What it reaches when its code is warm: a second is looked at again as long as it beats the best before it. */
async function warmRate(base: string, next: () => Asked): Promise<number> {
  let best = await fullRate(base, 2, next);
  for (let look = 0; look < mostLooks; look += 1) {
    const rate = await fullRate(base, 1, next);
    if (rate <= best * isFaster && look > 0) return Math.max(best, rate);
    best = Math.max(best, rate);
  }
  return best;
}
