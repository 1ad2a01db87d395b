import { days } from '../sizes.ts';
import { type Shares, within } from './shares.ts';

const error = `'{"code": "provider_error", "message": "The provider answered 500 and would not say why"}'::jsonb`;

type Kind = {
  name: string;
  queue: string;
  field: string;
  subject: string;
  type: string;
  lane?: string;
  pool?: string;
  state?: string;
  from: string;
};

const rows = ({ name, queue, field, subject, type, lane = 'null', pool = 'null', state = `'failed'`, from }: Kind) => `
  select uuidv7(at - clock_timestamp()), organization_id, '${name}', '${queue}',
         jsonb_build_object('${field}', ${subject}), '${type}', ${subject}, ${lane}, ${pool}, ${state}, 6, at, at,
         ${error}, '${type}' = 'channel', at, at + interval '1 s'
    from ${from}`;

/** The end of the chunk's statement: failed jobs of what failed, and operations that failed or are done. */
export function jobRows({ failedOthers, doneOperations }: Shares): string {
  const done = doneOperations * (days.all / days.week);
  const kinds = [
    {
      name: 'webhooks.deliver',
      queue: 'webhooks',
      field: 'delivery_id',
      subject: 'delivery_id',
      type: 'webhook_delivery',
      pool: `'endpoint:' || endpoint_id`,
      from: 'e where has_failed',
    },
    {
      name: 'messages.send',
      queue: 'messages',
      field: 'message_id',
      subject: 'id',
      type: 'message',
      lane: `'conversation:' || conversation_id`,
      pool: `'channel:' || channel_id`,
      from: `m where status = 'failed'`,
    },
    {
      name: 'provider-webhooks.apply',
      queue: 'default',
      field: 'webhook_id',
      subject: 'body_id',
      type: 'provider_webhook',
      from: 'bodies where is_broken',
    },
    {
      name: 'templates.sync',
      queue: 'default',
      field: 'channel_id',
      subject: 'channel_id',
      type: 'channel',
      state: 'x.state',
      from: `m,
         lateral (values ('failed', s < ${failedOthers}), ('done', s < ${done} and ${within(days.week)})) as x(state, is_one)
   where x.is_one`,
    },
  ];
  return `
  insert into jobs (id, organization_id, name, queue, payload, subject_type, subject_id, lane, pool, state, attempts,
                    run_at, check_at, error, visible, created_at, finished_at)
  ${kinds.map(rows).join(' union all ')}`;
}
