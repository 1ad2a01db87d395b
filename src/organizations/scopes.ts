const areas = [
  'contacts',
  'messages',
  'conversations',
  'channels',
  'crm',
  'commerce',
  'flows',
  'campaigns',
  'automation',
  'media',
  'onboarding',
  'webhooks',
  'members',
  'api_keys',
] as const;

/** Without `audit:write` and `events:write`: nobody writes them by hand. `webhooks:secrets` reads the secrets that sign. */
export type Scope = `${(typeof areas)[number]}:${'read' | 'write'}` | 'audit:read' | 'webhooks:secrets' | 'events:read';
export const scopes: Scope[] = [
  ...areas.flatMap((area) => [`${area}:read`, `${area}:write`] as Scope[]),
  'audit:read',
  'webhooks:secrets',
  'events:read',
];
