import Joi from 'joi';
import { maxSecrets } from '../../src/automation/limits.ts';
import { secretName } from '../../src/automation/secret-names.ts';
import {
  deleteSecret,
  getSecret,
  hostIn,
  listSecrets,
  putSecret,
  type SecretRow,
  secretsLock,
} from '../../src/automation/secrets.ts';
import { actorOf } from '../../src/organizations/caller.ts';
import { invalidField } from '../../src/platform/errors.ts';
import { exampleIds, exampleTime } from '../../src/platform/examples.ts';
import { endpoint, ok } from '../http/endpoint.ts';
import { listed, listOf, type PageQuery, pageQuery } from '../http/paging.ts';
import { iso, timestamp } from '../http/schemas.ts';
import { view } from '../http/view.ts';
import { path, tag } from './automation-schemas.ts';

/** A shorter one would be found in any answer that a step stores. */
const minValueLength = 8;
const maxValueBytes = 8 * 1024;
const maxHosts = 20;

const host = Joi.string()
  .max(253)
  .custom((text: string, { error }) => hostIn(text) ?? error('host'))
  .messages({ host: '{{#label}} must be a host name such as crm.example.com, without scheme, port and path' });

/** What it must look like is said by `putOneSecret`: elsewhere there is none of another name. */
const name = Joi.string().max(200).description('As `CRM_TOKEN`: letters in upper case, digits and `_`, at most 63');

export const secretView = view(
  'automation_secret',
  Joi.object({
    name: Joi.string().required(),
    hosts: Joi.array()
      .items(Joi.string())
      .required()
      .description('To which calls send it. None: stored before hosts were needed; store it again'),
    created_by: Joi.string().allow('').required().description('`user:<id>`, or `key:<id>` for a program'),
    created_at: timestamp.required(),
    updated_at: timestamp.required().description('When its value was last set'),
  }),
  {
    name: 'CRM_TOKEN',
    hosts: ['crm.example.com'],
    created_by: `user:${exampleIds.user}`,
    created_at: exampleTime,
    updated_at: exampleTime,
  },
);

const toView = ({ name, hosts, created_by, created_at, updated_at }: SecretRow) => ({
  name,
  hosts,
  created_by,
  created_at: iso(created_at),
  updated_at: iso(updated_at),
});

const onePath = `${path}/secrets/:secretName` as const;
const about = { tag, subject: 'Secret', audit: 'automation_secret' } as const;
const misnamed = 'The name of a secret has letters in upper case, digits and _, a letter first, and at most 63 characters';
const params = { secretName: name };
const example = { params: { secretName: 'CRM_TOKEN' } };

export const listOfSecrets = endpoint({
  tag,
  method: 'get',
  path: `${path}/secrets`,
  operationId: 'automation.secrets.list',
  scope: 'automation:read',
  summary: 'List the secrets of rules, newest first',
  description: 'Their names: no reply shows a value.',
  query: Joi.object<PageQuery>(pageQuery),
  responses: { 200: listOf(secretView) },
  handler: ({ query, own }) => listed('automation.secrets', {}, query, (page) => listSecrets(own, page), toView),
});

export const getOneSecret = endpoint({
  tag,
  subject: about.subject,
  method: 'get',
  path: onePath,
  operationId: 'automation.secrets.get',
  scope: 'automation:read',
  summary: 'Get one secret, without its value',
  params,
  responses: { 200: secretView },
  example,
  handler: async ({ params, own }) => ok(toView(await getSecret(own, params.secretName))),
});

export const putOneSecret = endpoint({
  ...about,
  method: 'put',
  path: onePath,
  operationId: 'automation.secrets.put',
  scope: 'automation:write',
  summary: 'Store a secret, or replace its value',
  description: `A step of a rule that calls outside has it as \`{{ secrets.CRM_TOKEN }}\`. It is sent to its \`hosts\` alone: a call to another one fails. It is stored sealed, and nothing shows it again: no reply, no run, no log. An organization has at most ${maxSecrets}.`,
  params,
  body: Joi.object<{ value: string; hosts: string[] }>({
    hosts: Joi.array()
      .items(host)
      .min(1)
      .max(maxHosts)
      .unique()
      .required()
      .description('To which calls may send it, on any port: `crm.example.com`'),
    value: Joi.string()
      .min(minValueLength)
      .max(maxValueBytes, 'utf8')
      .required()
      .description(`At least ${minValueLength} characters, at most 8 kB`),
  }),
  responses: { 200: secretView },
  example: { ...example, body: { value: 'the token of your own system', hosts: ['crm.example.com'] } },
  handler: ({ params, body, caller, write }, { secrets }) => {
    const { secretName: name } = params;
    if (!secretName.test(name)) throw invalidField('secretName', misnamed, 'secret.name', 'path');
    const sealed = secrets.seal(body.value);
    return write({ locks: [secretsLock(caller.organizationId)] }, async ({ own }) =>
      ok(toView(await putSecret(own, actorOf(caller), { name, sealed, hosts: body.hosts }))),
    );
  },
});

export const deleteOneSecret = endpoint({
  ...about,
  method: 'delete',
  path: onePath,
  operationId: 'automation.secrets.delete',
  scope: 'automation:write',
  summary: 'Delete a secret',
  description: 'A 409, which lists them, while live or paused rules name it.',
  params,
  responses: { 204: null },
  errors: [409],
  example,
  handler: ({ params, caller, write }) =>
    write({ locks: [secretsLock(caller.organizationId)] }, async ({ own }) => {
      await deleteSecret(own, params.secretName);
      return { status: 204 };
    }),
});
