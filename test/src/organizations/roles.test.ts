import { expect, test } from '@jest/globals';
import { scopesOf } from '../../../src/organizations/roles.ts';
import { scopes } from '../../../src/organizations/scopes.ts';

const areas = (access: 'read' | 'write', ...names: string[]) => names.map((name) => `${name}:${access}`);
const seen = areas(
  'read',
  'contacts',
  'messages',
  'conversations',
  'channels',
  'crm',
  'crm_schema',
  'commerce',
  'flows',
  'campaigns',
  'automation',
  'media',
  'onboarding',
  'members',
);

/** Written out: the access matrix takes this table for right, and a scope too many would be granted to everybody in silence. */
test.each([
  ['owner', [...scopes]],
  ['admin', [...scopes]],
  ['agent', [...seen, ...areas('write', 'contacts', 'messages', 'conversations', 'crm', 'commerce', 'media')]],
  ['viewer', seen],
] as const)('what comes with the role %s', (role, expected) => {
  expect([...scopesOf[role]].sort()).toEqual([...expected].sort());
});
