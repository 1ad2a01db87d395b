import { now } from '../platform/database/columns.ts';
import { isParked } from '../platform/ledger/park.ts';
import { holdPool, letPoolGo, setPool } from '../platform/ledger/pools.ts';
import { stateIs } from '../platform/ledger/states.ts';
import type { TenantTx } from '../platform/ledger/tx.ts';
import { Template } from '../templates/template.entity.ts';
import { channelToChange, isOtherConnected, poolsOf } from './change.ts';
import { ChannelHealth } from './health.entity.ts';
import { emitChange } from './told.ts';

/** More than a worker runs at once: the run of each message only writes that it failed. */
const width = 80;

/** SQL: the ledger's table. What was put off to a later time fails now, too. */
const hastenStatement = `
  update jobs
     set run_at = clock_timestamp(), check_at = clock_timestamp() + interval '5 s'
   where organization_id = $1 and pool = $2 and state = 'waiting' and run_at > clock_timestamp()`;

/** SQL: the ledger's table. A send that was put off to a later time holds up its conversation; the sweep gives it to the queue. */
const hastenParkedStatement = `
  update jobs
     set run_at = clock_timestamp(), check_at = clock_timestamp()
   where organization_id = $1 and pool = $2 and state = 'queued' and slot_at is null and ${isParked}`;

/** SQL: two tables, one of a domain that this one does not know. A parked row is then due, and the sweep gives it to the queue. */
const hastenScheduledStatement = `
  update jobs j
     set run_at = clock_timestamp(), check_at = clock_timestamp()
    from messages m
   where m.organization_id = $1 and m.is_scheduled and m.channel_id = $2
     and j.organization_id = $1 and j.subject_id = m.id and j.name = 'messages.send-later'
     and ${stateIs('j.state', 'queued')}`;

/** SQL: two tables, one of a domain that this one does not know. Work for its flows no longer waits with that of the account. */
const moveFlowWorkStatement = `
  update jobs
     set pool = $2
   where organization_id = $1 and pool = $3 and ${stateIs('state', 'blocked', 'waiting', 'queued')}
     and subject_id = any(array(select id from flows where organization_id = $1 and channel_id = $4::uuid union select $4::uuid))`;

/** SQL: the table of a domain that this one does not know. */
const deleteFlowKeys = `
  delete from flow_keys
   where organization_id = $1
     and channel_id = $2`;

/**
 * Its messages and conversations stay, its number is free, its secrets are erased. What was not sent yet goes through the queue at once,
 * held or not, and each message fails with `channel_deleted` where it would have been sent. Throws 404.
 */
export async function deleteChannel({ em, own, dispatch }: TenantTx, id: string): Promise<void> {
  const channel = await channelToChange(own, id);
  Object.assign(channel, {
    status: 'disconnected',
    access_token: '',
    app_secret: null,
    verify_token: null,
    deleted_at: now(),
    updated_at: now(),
  });
  await own.flush();
  await own.delete(ChannelHealth, { channel_id: id });
  await own.sql(deleteFlowKeys, [id]);
  // Copies of what the provider has.
  await own.delete(Template, { channel_id: id });
  const [pool, ofAccount] = poolsOf(own, channel);
  await setPool(em, pool, width, null);
  await letPoolGo(em, pool);
  // It fails with `channel_deleted` when its turn comes, held or not.
  await own.sql(moveFlowWorkStatement, [pool.id, ofAccount.id, id]);
  await own.sql(hastenStatement, [pool.id]);
  await own.sql(hastenParkedStatement, [pool.id]);
  await own.sql(hastenScheduledStatement, [id]);
  // Nobody else would let it go when no number is left.
  if ((await isOtherConnected(own, channel)) === false) await holdPool(em, ofAccount, null);
  else await letPoolGo(em, ofAccount);
  dispatch({ pools: [pool, ofAccount] });
  emitChange(own, channel, ['status', 'deleted']);
}
