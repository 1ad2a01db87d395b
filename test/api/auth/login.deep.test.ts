import { expect, test } from '@jest/globals';
import { fromAnywhere } from '../../support/accounts.ts';
import { useApp } from '../../support/app.ts';
import { person } from '../../support/factories/person.ts';

const app = useApp({ env: { TRUST_PROXY: '1' } });
const logIn = (body: object) => app.call('auth.login', { key: null, body, headers: fromAnywhere() });

test('a login with an unknown email takes as long as one with a wrong password', async () => {
  const bob = await person(app.em(), app.tenant.organizationId);
  const taken = async (email: string) => {
    const start = performance.now();
    await logIn({ email, password: 'not the right one' });
    return performance.now() - start;
  };
  // The quickest of each: other work on the machine only adds. Without a hash one of them would be quicker in every pair.
  let [known, unknown] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const isEven = () => known / unknown > 0.5 && known / unknown < 2;
  for (let n = 0; n < 5 || (!isEven() && n < 40); n += 1) {
    known = Math.min(known, await taken(bob.email));
    unknown = Math.min(unknown, await taken(`nobody-${n}@example.com`));
  }
  expect(known / unknown).toBeGreaterThan(0.5);
  expect(known / unknown).toBeLessThan(2);
  // A hash has a low priority: on a busy machine one takes seconds.
}, 600_000);
