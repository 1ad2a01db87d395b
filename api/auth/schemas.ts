import Joi from 'joi';
import { roles } from '../../src/organizations/roles.ts';
import { scopes } from '../../src/organizations/scopes.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import type { UserRow } from '../../src/users/users.ts';
import { id, iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';

export const tag = 'Accounts';

export { email, personName } from '../../src/users/person.ts';

export const role = Joi.string().valid(...roles);
export const scopeList = Joi.array()
  .items(Joi.string().valid(...scopes))
  .min(1)
  .max(100);
export const oneTimeToken = Joi.string().trim().max(200).required().description('From the link in the mail');
/** The length in characters is checked by src/accounts/password-rules.ts, with an error for each rule. */
export const newPassword = Joi.string().max(1000).required().description('12 to 128 characters, none of the common ones');
const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
export const weekStart = Joi.string().valid(...weekdays);

const user = {
  id: id.required(),
  name: Joi.string().allow('').required(),
  email: Joi.string().required(),
  email_verified: Joi.boolean().required(),
  timezone: Joi.string().required().description('Zone name'),
  week_start: Joi.string().required().description('Weekday name'),
  created_at: timestamp.required(),
};
export const exampleUser = {
  id: exampleIds.user,
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  email_verified: true,
  timezone: 'Asia/Jakarta',
  week_start: 'monday',
  created_at: exampleTime,
};

export const sessionUser = view('session_user', Joi.object(user), exampleUser);

export const me = view(
  'me',
  Joi.object({
    ...user,
    organization_id: id.allow(null).required().description('The active organization'),
    role: role.allow(null).required().description('The role in it'),
    scopes: Joi.array().items(Joi.string()).required().description('What this session or token may do'),
    organizations: Joi.array()
      .items(Joi.object({ id: id.required(), name: Joi.string().required(), role: role.required() }))
      .required()
      .description('Every organization the user is a member of; to a bearer token, its own'),
  }),
  {
    ...exampleUser,
    organization_id: exampleIds.organization,
    role: 'viewer',
    scopes: ['messages:read'],
    organizations: [{ id: exampleIds.organization, name: 'Harbour Books', role: 'viewer' }],
  },
);

export const toUserView = (row: UserRow) => ({
  id: row.id,
  name: row.name,
  email: row.email,
  email_verified: row.email_verified,
  timezone: row.timezone,
  week_start: row.week_start,
  created_at: iso(row.created_at),
});

/** Shown in examples in place of a one-time or session token. */
export const exampleToken = 'bWFkZS1mb3ItdGhlLWRvY3VtZW50LW5vdC1hLXRva2Vu';
export const messageOf = (message: string) => view(Joi.object({ message: Joi.string().required() }), { message });
