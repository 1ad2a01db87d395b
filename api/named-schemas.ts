import type Joi from 'joi';
import { endpoints } from './index.ts';

/** In the order of the document; what is not among them follows as its endpoints do. */
const order = [
  'session_user',
  'me',
  'token',
  'organization',
  'member',
  'invitation',
  'api_key',
  'audit_log_entry',
  'message',
  'contact',
  'contact_identity',
  'contact_note',
  'contact_consent',
  'contact_suppression',
  'contact_permission_change',
  'contact_duplicate',
  'contact_import',
  'crm_import',
  'contact_export',
  'tag',
  'media_asset',
  'media_usage',
  'channel',
  'webhook_endpoint',
  'webhook_endpoint_stats',
  'webhook_delivery',
  'webhook_attempt',
  'event',
  'event_cursor',
  'operation',
  'page_meta',
];
const placeOf = (name: string) => (order.includes(name) ? order.indexOf(name) : order.length);

const found: Record<string, Joi.Schema> = Object.assign({}, ...endpoints.map(({ named }) => named));

/** The records of the API by the names that readers and generated clients know them by: the views that were given one. */
export const namedSchemas: Record<string, Joi.Schema> = Object.fromEntries(
  Object.entries(found).sort(([one], [other]) => placeOf(one) - placeOf(other)),
);
