const areas = [
  'contacts',
  'messages',
  'conversations',
  'channels',
  'crm',
  'crm_schema',
  'commerce',
  'connections',
  'flows',
  'campaigns',
  'automation',
  'media',
  'onboarding',
  'webhooks',
  'members',
  'api_keys',
] as const;

/**
 * Without `audit:write` and `events:write`: nobody writes them by hand. `payments:write` moves money that was paid: refunds, and payments
 * recorded by hand. `automation:trigger` starts published rules, which do what whoever published them may do. `webhooks:secrets` reads the secrets that
 * sign.
 */
export type Scope =
  | `${(typeof areas)[number]}:${'read' | 'write'}`
  | 'payments:write'
  | 'automation:trigger'
  | 'audit:read'
  | 'webhooks:secrets'
  | 'events:read';
export const scopes: Scope[] = [
  ...areas.flatMap((area) => [`${area}:read`, `${area}:write`] as Scope[]),
  'payments:write',
  'automation:trigger',
  'audit:read',
  'webhooks:secrets',
  'events:read',
];
