import type { NumberRead } from '../channels/account.ts';
import { changeChannel, channelLock, letChannelGo } from '../channels/change.ts';
import { Channel } from '../channels/channel.entity.ts';
import { connectChannel } from '../channels/connect.ts';
import type { Source } from '../platform/database/database.ts';
import type { Own } from '../platform/database/own.ts';
import { query } from '../platform/database/query.ts';
import { statement } from '../platform/database/statement.ts';
import type { RowOf } from '../platform/database/tables.ts';
import { AppError } from '../platform/errors.ts';
import type { TenantTransact } from '../platform/ledger/tenant.ts';
import type { TenantTx } from '../platform/ledger/tx.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Account } from '../providers/messaging-app/provider.ts';
import { onboardingLane } from './change.ts';
import { Onboarding } from './onboarding.entity.ts';

const takenElsewhere = () => new AppError('conflict', 'This number is connected already');

/** Throws 409 when another organization has the number: neither subscribed nor registered then. */
export async function assertFree(source: Source, { organizationId }: Own, phoneNumberId: string): Promise<void> {
  // SQL: a number is unique in the installation, so other organizations are looked at too.
  const [row] = await query<RowOf<typeof Channel, 'organization_id'>>(
    source,
    `select organization_id
       from channels
      where phone_number_id = $1
        and deleted_at is null`,
    [phoneNumberId],
  );
  if (row && row.organization_id !== organizationId) throw takenElsewhere();
}

const channelOfNumber = statement((select, { phoneNumberId }: { phoneNumberId: string }) =>
  select(Channel).select(['id', 'account_id']).where('phone_number_id', '=', phoneNumberId).where('deleted_at', 'is', null),
);

/** After this onboarding had connected it. */
export class ChannelDeleted extends Error {}

type Connecting = { onboardingId: string; account: Account; name: string | null; rate: number; number: NumberRead };

/**
 * A number that is a channel already gets the new token. Once connected here it is left as it is, whatever was done to it since. Undefined:
 * the step is not at work any more. Throws 409 when the number is connected elsewhere.
 */
export function connectNumber(
  own: Own,
  transact: TenantTransact,
  { onboardingId, account, name, rate, number }: Connecting,
  secrets: Secrets,
): Promise<string | undefined> {
  const look = () => channelOfNumber(own, account);
  /** One that was disconnected by hand too: whoever goes through the signup wants it. */
  const reconnect = async (tx: TenantTx, id: string) => {
    await changeChannel(tx, id, { accessToken: account.accessToken }, secrets);
    return letChannelGo(tx, id);
  };
  const locks = ([known]: { id: string }[]) => [onboardingLane(onboardingId), ...(known ? [channelLock(known.id)] : [])];
  return transact({ look, locks }, async (tx, [known]) => {
    const atWork = { id: onboardingId, current_step: 'sync_assets' as const, step_status: 'in_progress' as const };
    const onboarding = await tx.own.findOne(Onboarding, atWork);
    if (!onboarding) return undefined;
    if (onboarding.channel_id) {
      if (await tx.own.findOne(Channel, { id: onboarding.channel_id, deleted_at: null })) return onboarding.channel_id;
      throw new ChannelDeleted('The channel was deleted since: start another onboarding');
    }
    if (known && known.account_id !== account.accountId) throw takenElsewhere();
    const { id } = known
      ? await reconnect(tx, known.id)
      : (await connectChannel(tx, { ...account, name: name ?? undefined, rate }, number, secrets)).channel;
    onboarding.channel_id = id;
    return id;
  });
}
