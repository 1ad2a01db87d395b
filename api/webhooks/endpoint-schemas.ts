import Joi from 'joi';
import { invalidField } from '../../src/platform/errors.ts';
import { eventTypes } from '../../src/platform/events/catalogue.ts';
import { wildcards } from '../../src/platform/events/listening.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { checkUrl } from '../../src/platform/network/address-guard.ts';
import type { Secrets } from '../../src/platform/secrets.ts';
import { nowDate } from '../../src/platform/time/clock.ts';
import { orderings } from '../../src/webhooks/endpoint.entity.ts';
import { type EndpointRow, maxHeaders, openHeaders } from '../../src/webhooks/endpoints.ts';
import { forbiddenHeader } from '../../src/webhooks/request-headers.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { extended, view } from '../http/view.ts';

export const tag = 'Webhooks';
export const base = '/v1/settings/developer/webhooks/endpoints';
export const aboutEndpoint = { tag, subject: 'Webhook endpoint' };

export const exampleBody = { url: 'https://example.com/hooks', event_types: ['message.sent', 'message.status_update'] };

export const endpointView = view(
  'webhook_endpoint',
  Joi.object({
    id: id.required(),
    url: Joi.string().required(),
    event_types: Joi.array().items(Joi.string()).required().description('Types, and wildcards as they were given'),
    description: Joi.string().allow('').required(),
    header_names: Joi.array().items(Joi.string()).required().description('Its own headers; their values are not shown'),
    rate_limit: Joi.number().integer().allow(null).required(),
    ordering: Joi.string()
      .valid(...orderings)
      .required(),
    enabled: Joi.boolean().required(),
    disabled_reason: Joi.string()
      .allow(null)
      .required()
      .description(
        '`manual`: a request disabled it; `gone`: the receiver answered 410; `failing`: nothing but failures for days',
      ),
    disabled_at: timestamp.allow(null).required(),
    failing_since: timestamp
      .allow(null)
      .required()
      .description(
        'The first failure since its last success, or since a day in which it had nothing to send; null: it does not fail',
      ),
    overlap_ends_at: timestamp
      .allow(null)
      .required()
      .description('After a rotation: until then deliveries carry the signature of the secret before, too'),
    created_at: timestamp.required(),
    updated_at: timestamp.required(),
  }),
  {
    ...exampleBody,
    id: exampleIds.webhookEndpoint,
    description: '',
    header_names: [],
    rate_limit: null,
    ordering: 'best_effort',
    enabled: true,
    disabled_reason: null,
    disabled_at: null,
    failing_since: null,
    overlap_ends_at: null,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

export const exampleSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';
export const secretField = Joi.string().required().description('Signs every delivery (Standard Webhooks)');
export const withSecret = extended(endpointView, { secret: secretField }, { secret: exampleSecret });

const orNull = (time: string | null) => time && iso(time);
const isAhead = (time: string | null) => time !== null && new Date(time) > nowDate();

export const toView = (row: EndpointRow, secrets: Secrets) => ({
  id: row.id,
  url: row.url,
  event_types: row.event_types,
  description: row.description,
  header_names: Object.keys(openHeaders(secrets, row.headers)),
  rate_limit: row.rate_limit,
  ordering: row.ordering,
  enabled: row.enabled,
  disabled_reason: row.disabled_reason,
  disabled_at: orNull(row.disabled_at),
  failing_since: orNull(row.failing_since),
  // The secret is erased some time after.
  overlap_ends_at: isAhead(row.previous_secret_until) ? orNull(row.previous_secret_until) : null,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

// Allowed in an HTTP header: visible ASCII and spaces, no line break.
const headerValue = Joi.string()
  .max(1024)
  .pattern(/^[\x20-\x7e]*$/, 'header text')
  .allow('');
const headerName = Joi.string().pattern(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/);

export const fields = {
  url: Joi.string().trim().max(2048).description('https; the address must be public'),
  event_types: Joi.array()
    .items(Joi.string().valid(...eventTypes, ...wildcards))
    .min(1)
    .max(100)
    .description('`*` is every type, also one that a later version adds; `message.*` every type that begins with `message.`'),
  description: Joi.string().trim().max(500).allow(''),
  headers: Joi.object().pattern(headerName, headerValue).max(maxHeaders).description('Sent with every delivery'),
  headersChange: Joi.object()
    .pattern(headerName, headerValue.allow(null))
    .max(2 * maxHeaders)
    .allow(null)
    .description(
      'Merged by name, whatever its case: those given are added or replaced, null removes one, the others stay. null in place of the object removes all',
    ),
  rate_limit: Joi.number().strict().integer().min(1).max(1000).description('Deliveries a second at most'),
  ordering: Joi.string()
    .valid(...orderings)
    .description('per_subject delivers the events of one conversation, contact or order in order'),
};

export function publicUrl(text: string, rules: { webhookAllowHttp: boolean; webhookAllowNetworks: string[] }): string {
  try {
    return checkUrl(text, { allowHttp: rules.webhookAllowHttp, allowNetworks: rules.webhookAllowNetworks }).href;
  } catch (error) {
    throw invalidField('url', (error as Error).message);
  }
}

/** Throws 422 for a name that the delivery sets itself, or that is there twice. */
export function checkHeaders(headers: Record<string, string | null>): void {
  const seen = new Set<string>();
  for (const name of Object.keys(headers)) {
    if (forbiddenHeader(name)) throw invalidField(`headers.${name}`, `The header ${name} is set by the delivery itself`);
    if (seen.has(name.toLowerCase())) throw invalidField(`headers.${name}`, `The header ${name} is given twice`);
    seen.add(name.toLowerCase());
  }
}
