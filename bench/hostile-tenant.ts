import { type Owner, seedContacts } from './contacts/dataset.ts';
import { accessToken, type Stage } from './stage.ts';
import { seedTenant, type Tenant } from './tenant.ts';

/** The organizations beside the well-behaved tenant: one as any other, and one of 150,000 contacts, made when it is first asked for. */
export type Hostile = { tenant: Tenant; appSecret: string; large(): Promise<Owner> };

const appSecret = 'hostile-app-secret';
const account = { waba_id: '200000000000002', phone_number_id: '100000000000002' };
const contacts = 150_000;
/** Messages a second that a channel gets when nobody says otherwise. */
const rate = 80;

export async function openHostile({ kanal: { sql, env }, receiver }: Stage): Promise<Hostile> {
  const tenant = await seedTenant(sql, {
    keys: { secretKey: env.SECRET_KEY!, hashKey: env.HASH_KEY! },
    accessToken,
    phoneNumberId: account.phone_number_id,
    accountId: account.waba_id,
    receiverUrl: receiver.url,
    appSecret,
    rate,
    sent: 0,
  });
  let seeded: Promise<Owner> | undefined;
  const seed = async () => (await seedContacts(sql, contacts, 0)).large;
  return {
    tenant,
    appSecret,
    large() {
      seeded ??= seed();
      return seeded;
    },
  };
}

/** The sandbox as new: it knows the hostile organization's number, and answers its messages after `delayMs`. */
export async function resetSandbox({ sandbox }: Stage, delayMs = 0) {
  await sandbox.control('DELETE', '/');
  await sandbox.control('POST', '/behaviour', { auto_status: [] });
  await sandbox.control('POST', '/accounts', { ...account, display_phone_number: '+1 555-010-0002', access_token: accessToken });
  if (delayMs > 0)
    await sandbox.control('POST', '/faults', {
      kind: 'delay',
      match: { method: 'POST', path: `/${account.phone_number_id}/messages` },
      times: 1_000_000_000,
      delay_ms: delayMs,
    });
}
