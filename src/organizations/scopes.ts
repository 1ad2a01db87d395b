const areas = [
  'contacts',
  'messages',
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

/** Without `audit:write` and `events:write`: nobody writes them by hand. */
export type Scope = `${(typeof areas)[number]}:${'read' | 'write'}` | 'audit:read' | 'events:read';
export const scopes: Scope[] = [
  ...areas.flatMap((area) => [`${area}:read`, `${area}:write`] as Scope[]),
  'audit:read',
  'events:read',
];
