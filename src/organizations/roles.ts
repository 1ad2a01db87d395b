import { type Scope, scopes } from './scopes.ts';

/** Highest first. */
export const roles = ['owner', 'admin', 'agent', 'viewer'] as const;
export type Role = (typeof roles)[number];

/** The daily work with customers. Settings, people and keys are for admins. */
const worked = ['contacts', 'messages', 'conversations', 'crm', 'commerce', 'media'];
/** For every member. Not webhooks, whose secrets can be read, nor keys, nor the audit log. */
const seen = [...worked, 'crm_schema', 'channels', 'flows', 'campaigns', 'automation', 'onboarding', 'members'];

const read = scopes.filter((scope) => seen.some((area) => scope === `${area}:read`));
const write = scopes.filter((scope) => worked.some((area) => scope === `${area}:write`));

/** The same scopes for owner and admin, but an admin can neither make nor change an owner. */
export const scopesOf: Record<Role, ReadonlySet<Scope>> = {
  owner: new Set(scopes),
  admin: new Set(scopes),
  agent: new Set([...read, ...write]),
  viewer: new Set(read),
};

export const isAbove = (role: Role, other: Role) => roles.indexOf(role) < roles.indexOf(other);
