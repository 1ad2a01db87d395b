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

export type Scope = `${(typeof areas)[number]}:${'read' | 'write'}`;
export const scopes: Scope[] = areas.flatMap((area) => [`${area}:read`, `${area}:write`] as Scope[]);
