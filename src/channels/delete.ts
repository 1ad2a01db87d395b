import { now } from '../platform/database/columns.ts';
import { isParked } from '../platform/ledger/park.ts';
import { accountPool, channelPool, letPoolGo, poolOf, setPool } from '../platform/ledger/pools.ts';
import { stateIs } from '../platform/ledger/states.ts';
import type { TenantTx } from '../platform/ledger/tx.ts';
import { Template } from '../templates/template.entity.ts';
import { channelToChange } from './change.ts';
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
  const pool = poolOf(own.organizationId, channelPool(id));
  await setPool(em, pool, width, null);
  await letPoolGo(em, pool);
  await own.sql(hastenStatement, [pool.id]);
  await own.sql(hastenParkedStatement, [pool.id]);
  await own.sql(hastenScheduledStatement, [id]);
  // Work of its flows fails with `channel_deleted` when its turn comes.
  const ofAccount = poolOf(own.organizationId, accountPool(own.organizationId, channel.account_id));
  await letPoolGo(em, ofAccount);
  dispatch({ pools: [pool, ofAccount] });
  emitChange(own, channel, ['status', 'deleted']);
}
