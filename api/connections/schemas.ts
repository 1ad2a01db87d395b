import Joi from 'joi';
import { connectionKinds, connectionProviders, connectionStatuses } from '../../src/connections/connection.entity.ts';
import type { ConnectionRow } from '../../src/connections/queries.ts';
import type { Config } from '../../src/platform/config/config.ts';
import { exampleIdOf, exampleTime } from '../../src/platform/examples.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const aboutConnection = { tag: 'Connections', subject: 'Connection', audit: 'connection' } as const;

export const connectionView = view(
  'connection',
  Joi.object({
    id: id.required(),
    kind: Joi.string()
      .valid(...connectionKinds)
      .required(),
    provider: Joi.string()
      .valid(...connectionProviders)
      .required(),
    name: Joi.string().required(),
    status: Joi.string()
      .valid(...connectionStatuses)
      .required()
      .description('`auth_error`: the provider refuses the credentials; work waits for new ones'),
    account: Joi.string().allow('').required().description('Whose account it is, as the provider says'),
    settings: Joi.object().unknown().required(),
    is_default: Joi.boolean().required().description('Used where none is named; one of each kind'),
    webhook_url: Joi.string().allow(null).required().description("Address for the provider's webhooks; null: it sends none"),
    last_ok_at: timestamp.allow(null).required().description('The last time that the provider took the credentials of a check'),
    last_error: Joi.string().allow(null).required(),
    last_error_at: timestamp.allow(null).required(),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    id: exampleIdOf('connection'),
    kind: 'calendar',
    provider: 'google',
    name: 'Front desk',
    status: 'connected',
    account: 'frontdesk@example.com',
    settings: {},
    is_default: true,
    webhook_url: null,
    last_ok_at: exampleTime,
    last_error: null,
    last_error_at: null,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const webhookPaths = { payment: 'payments', shipper: 'shipping', calendar: undefined, video: undefined };

type Address = Pick<Config, 'publicUrl'>;

/** Without PUBLIC_URL a path. */
export const ownAddress = ({ publicUrl }: Address, path: string) => `${publicUrl?.replace(/\/$/, '') ?? ''}${path}`;

export const toView = (row: ConnectionRow, config: Address) => {
  const path = webhookPaths[row.kind];
  return {
    id: row.id,
    kind: row.kind,
    provider: row.provider,
    name: row.name,
    status: row.status,
    account: row.account,
    settings: row.settings,
    is_default: row.is_default,
    webhook_url: path ? ownAddress(config, `/v1/providers/${path}/${row.id}/webhook`) : null,
    last_ok_at: row.last_ok_at && iso(row.last_ok_at),
    last_error: row.last_error,
    last_error_at: row.last_error_at && iso(row.last_error_at),
    created_at: iso(row.created_at),
    updated_at: iso(row.updated_at),
  };
};

export const connectionName = Joi.string().trim().min(1).max(200);

export const webhookSecret = Joi.string()
  .min(1)
  .max(500)
  .pattern(/^[\x21-\x7e]+$/)
  .messages({ 'string.pattern.base': '{{#label}} must be printable ASCII without spaces' })
  .description(
    'With which the provider signs its webhooks: the signing secret of Stripe, the callback token of Xendit, or the text that the header `x-webhook-secret` has. Without one they are refused',
  );

export const settings = Joi.object<Record<string, string>>()
  .pattern(/^[a-z][a-z0-9_]{0,63}$/, Joi.string().allow('').max(500))
  .max(20)
  .description('`success_url` and `cancel_url` of payment accounts: where people go back to from a payment page');

export const credentials = Joi.object<Record<string, string>>()
  .pattern(/^[a-z][a-z0-9_]{0,63}$/, Joi.string().trim().max(8_192))
  .max(10)
  .description(
    'google: `refresh_token`, with `client_id` and `client_secret` unless it is of the app of this installation; or `client_email` and `private_key` of a service account, with `subject` to act for somebody. zoom: `account_id`, `client_id`, `client_secret`. biteship: `api_key`. xendit, stripe: `secret_key`. Never shown again',
  );
