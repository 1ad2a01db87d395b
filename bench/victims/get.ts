import { getMessageRequest } from '../paths/http.ts';
import { evenPace, fullRate } from './even-pace.ts';
import { metOf, type OpenVictim } from './victim.ts';

/** GET /v1/messages/{id} at half of what it reaches alone. */
export const openGet: OpenVictim = async ({ kanal }, base) => {
  const next = () => getMessageRequest(kanal);
  await fullRate(base, 2, next);
  const half = Math.round((await fullRate(base, 3, next)) / 2);
  return {
    name: 'get',
    what: `GET /v1/messages/{id}, ${half} a second`,
    round: async (seconds) => metOf(await evenPace(base, half, seconds, next), seconds),
    close: async () => undefined,
  };
};
