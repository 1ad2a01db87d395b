import { getMessageRequest } from '../paths/http.ts';
import { median } from '../statistics.ts';
import { evenPace, fullRate } from './even-pace.ts';
import { metOf, type OpenVictim } from './victim.ts';

/** GET /v1/messages/{id} at half of what it reaches alone. */
export const openGet: OpenVictim = async ({ kanal }, base) => {
  const next = () => getMessageRequest(kanal);
  await fullRate(base, 2, next);
  const full: number[] = [];
  for (let look = 0; look < 3; look += 1) full.push(await fullRate(base, 1, next));
  const half = Math.round(median(full) / 2);
  return {
    name: 'get',
    what: `GET /v1/messages/{id}, ${half} a second`,
    round: async (seconds) => metOf(await evenPace(base, half, seconds, next), seconds),
    close: async () => undefined,
  };
};
