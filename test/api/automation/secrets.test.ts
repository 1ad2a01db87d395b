import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { openSecret } from '../../../src/automation/secrets.ts';
import type { RuleStatus } from '../../../src/automation/states.ts';
import { ownRows } from '../../../src/platform/database/own.ts';
import { createSecrets } from '../../../src/platform/secrets.ts';
import { type Body, type Tenant, useApp } from '../../support/app.ts';
import { rule } from '../../support/factories/automation.ts';
import { everythingLeftBy, leaks } from '../../support/leaks.ts';
import { listedActs } from '../../support/listed-acts.ts';
import { testHashKey, testSecretKey } from '../../support/secrets.ts';
import { storedAutomationSecrets, storedRules, storedRuleVersions } from '../../support/stored/automation.ts';
import { now } from '../../support/stored/times.ts';

const app = useApp();
let tenant: Tenant;
beforeEach(async () => {
  tenant = await app.organization();
});

const at = (secretName: string) => ({ params: { secretName }, key: tenant.key });
const put = (name: string, value: unknown = 'the token of a system') =>
  app.call('automation.secrets.put', { ...at(name), body: { value, hosts: ['crm.example.com'] } });
const list = async (): Promise<string[]> =>
  (await app.call('automation.secrets.list', { key: tenant.key })).body.items.map(({ name }: Body) => name);

test('stored, listed without its value, replaced, deleted', async () => {
  const { status, body } = await put('CRM_TOKEN');
  expect(status).toBe(200);
  expect(body).toEqual({
    name: 'CRM_TOKEN',
    hosts: ['crm.example.com'],
    created_by: `key:${tenant.keyId}`,
    created_at: expect.any(String),
    updated_at: expect.any(String),
  });
  expect((await app.call('automation.secrets.get', at('CRM_TOKEN'))).body).toEqual(body);
  await put('OTHER');
  expect(await list()).toEqual(['OTHER', 'CRM_TOKEN']);
  const replaced = await put('CRM_TOKEN', 'another one');
  expect(replaced.body.created_at).toBe(body.created_at);
  expect(replaced.body.updated_at > body.updated_at).toBe(true);
  expect((await app.call('automation.secrets.delete', at('CRM_TOKEN'))).status).toBe(204);
  expect((await app.call('automation.secrets.delete', at('CRM_TOKEN'))).status).toBe(404);
  expect((await app.call('automation.secrets.get', at('CRM_TOKEN'))).status).toBe(404);
  expect(await list()).toEqual(['OTHER']);
});

test('steps read the value that was stored last', async () => {
  const secrets = createSecrets({ secretKey: testSecretKey, hashKey: testHashKey });
  const own = ownRows(app.web.deps.database, tenant.organizationId);
  await put('CRM_TOKEN', 'the first');
  await put('CRM_TOKEN', 'the second');
  expect(await openSecret(own, secrets, 'CRM_TOKEN')).toEqual({ value: 'the second', hosts: ['crm.example.com'] });
  expect(await openSecret(own, secrets, 'OTHER')).toBeUndefined();
  expect(await openSecret(ownRows(app.web.deps.database, app.tenant.organizationId), secrets, 'CRM_TOKEN')).toBeUndefined();
});

test('its value stands nowhere in the clear: in no reply, row, queue or line of a log', async () => {
  const value = `secret+${randomBytes(12).toString('hex')}`;
  const refused = `secret+${randomBytes(12).toString('hex')}`;
  const replies = [
    await put('LEAKY', value),
    await app.call('automation.secrets.get', at('LEAKY')),
    await app.call('automation.secrets.list', { key: tenant.key }),
    await put('LEAKY', refused.repeat(400)),
    await put('LEAKY', { value: refused }),
    await put('leaky', refused),
    await app.call('automation.secrets.put', { ...at('LEAKY'), body: { value, hosts: ['crm.example.com'], [refused]: 1 } }),
  ];
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 422, 422, 422, 422]);
  const texts = replies.slice(0, 6).map(({ text }, index) => ({ place: `reply ${index}`, text }));
  expect(leaks([...texts, ...(await everythingLeftBy(app))], [value, refused])).toEqual([]);
});

test('each change is in the audit log, by the name of the secret', async () => {
  await put('CRM_TOKEN');
  await app.call('automation.secrets.delete', at('CRM_TOKEN'));
  const acts = await listedActs(app, {}, { key: tenant.key, columns: ['action', 'subject', 'details'] });
  expect(acts).toEqual([
    { action: 'automation.secrets.put', subject: 'automation_secret:CRM_TOKEN', details: null },
    { action: 'automation.secrets.delete', subject: 'automation_secret:CRM_TOKEN', details: null },
  ]);
});

describe('while rules name it', () => {
  const remove = (name: string) => app.call('automation.secrets.delete', at(name));
  const calling = (text: string) => ({
    steps: [{ id: 'call', type: 'http_request', url: 'https://example.com/', headers: { Authorization: text } }],
  });
  const ruleWith = async (text: string, status: RuleStatus) =>
    (await rule(app.em(), tenant.organizationId, { status, definition: calling(text) })).id;

  test.each(['{{ secrets.CRM_TOKEN }}', '{{secrets["CRM_TOKEN"] | upcase}}', "Bearer {% if secrets['CRM_TOKEN'] %}x{% endif %}"])(
    'a live or paused one, by %s: 409, which lists them, and it stays',
    async (text) => {
      await put('CRM_TOKEN');
      const ids = [await ruleWith(text, 'live'), await ruleWith(text, 'paused')];
      const { status, body } = await remove('CRM_TOKEN');
      expect([status, body.error.details.map(({ code, value }: Body) => [code, value])]).toEqual([
        409,
        ids.map((id) => ['secret.used', id]),
      ]);
      expect(await list()).toEqual(['CRM_TOKEN']);
    },
  );

  test('more than 100 rules: 100 of them are listed, those of a longer name between them are not', async () => {
    await put('CRM_TOKEN');
    for (let made = 0; made < 103; made += 1) {
      await ruleWith('{{ secrets.CRM_TOKEN }}', 'live');
      await ruleWith('{{ secrets.CRM_TOKEN_2 }}', 'live');
    }
    const { status, body } = await remove('CRM_TOKEN');
    expect([status, body.error.message]).toEqual([409, expect.stringContaining('more than 100 rules')]);
    const listed = body.error.details.map(({ value }: Body) => value);
    const users = await app.rows<{ id: string }>(
      `select a.id
         from automation_rules a
         join automation_rule_versions v on v.rule_id = a.id
        where a.organization_id = $1 and v.definition::text like '%CRM\\_TOKEN }}%'
        order by a.id
        limit 100`,
      [tenant.organizationId],
    );
    expect(listed).toEqual(users.map(({ id }) => id));
  });

  test('not one of a longer name, nor a draft, nor an earlier version, nor a deleted rule', async () => {
    await put('CRM_TOKEN');
    await ruleWith('{{ secrets.CRM_TOKEN_2 }}', 'live');
    await ruleWith('CRM_TOKEN', 'live');
    const draft = await ruleWith('{{ secrets.CRM_TOKEN }}', 'draft');
    await storedRules.change(app, draft, { version: 0 });
    const changed = await ruleWith('{{ secrets.CRM_TOKEN }}', 'live');
    await storedRuleVersions.add(app, {
      organization_id: tenant.organizationId,
      rule_id: changed,
      number: 2,
      definition: { steps: [] },
    });
    await storedRules.change(app, changed, { version: 2 });
    const deleted = await ruleWith('{{ secrets.CRM_TOKEN }}', 'live');
    await storedRules.change(app, deleted, { deleted_at: now() });
    expect((await remove('CRM_TOKEN')).status).toBe(204);
  });
});

describe('refused', () => {
  test.each([
    ['small letters', 'crm_token', 'a long token', 'secretName'],
    ['a digit in front', '1TOKEN', 'a long token', 'secretName'],
    ['a name of 64', 'A'.repeat(64), 'a long token', 'secretName'],
    ['a dash', 'CRM-TOKEN', 'a long token', 'secretName'],
    ['no value', 'CRM_TOKEN', null, 'value'],
    ['a value of 7 characters, which would be found in any answer', 'CRM_TOKEN', '1234567', 'value'],
    ['an empty value', 'CRM_TOKEN', '', 'value'],
    ['a number', 'CRM_TOKEN', 7, 'value'],
    ['8 kB and a byte', 'CRM_TOKEN', `${'ä'.repeat(4_096)}x`, 'value'],
  ])('%s: 422 at its place', async (_, name, value, field) => {
    const { status, body } = await put(name, value);
    expect([status, body.error.details[0].field]).toEqual([422, field]);
    expect(await list()).toEqual([]);
  });

  test.each([
    ['none', undefined],
    ['an empty list', []],
    ['a URL', ['https://crm.example.com']],
    ['a port', ['crm.example.com:8443']],
    ['the usual port', ['crm.example.com:443']],
    ['a path', ['crm.example.com/leads']],
    ['a user', ['crm.example.com@evil.example']],
    ['any subdomain', ['*.example.com']],
    ['one twice, in another case', ['crm.example.com', 'CRM.example.com']],
    ['more than 20', Array.from({ length: 21 }, (_, n) => `h${n}.example.com`)],
  ])('hosts that are %s: 422', async (_, hosts) => {
    const { status, body } = await app.call('automation.secrets.put', { ...at('T'), body: { value: 'a long token', hosts } });
    expect(status).toBe(422);
    expect(body.error.details[0].field).toMatch(/^hosts/);
  });

  test('a name of 63 and 8 kB are fine', async () => {
    expect((await put('A'.repeat(63), 'ä'.repeat(4_096))).status).toBe(200);
  });

  test('one more than 100; those that are there can be replaced', async () => {
    await storedAutomationSecrets.addMany(app, 99, (n) => ({
      organization_id: tenant.organizationId,
      name: `S_${n}`,
      value: 'x',
    }));
    const replies = await Promise.all([put('ONE'), put('TWO')]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 422]);
    const refused = replies.find(({ status }) => status === 422)!;
    expect(refused.body.error.code).toBe('limit_reached');
    expect((await put('S_1')).status).toBe(200);
  });

  test('of another organization, or without the scope', async () => {
    await put('CRM_TOKEN');
    const theirs = { ...at('CRM_TOKEN'), key: app.tenant.key };
    expect((await app.call('automation.secrets.get', theirs)).status).toBe(404);
    expect((await app.call('automation.secrets.delete', theirs)).status).toBe(404);
    const { key } = await app.key(tenant.organizationId, ['automation:read']);
    expect(
      (
        await app.call('automation.secrets.put', {
          ...at('OTHER'),
          key,
          body: { value: 'a long token', hosts: ['crm.example.com'] },
        })
      ).status,
    ).toBe(403);
    expect(await list()).toEqual(['CRM_TOKEN']);
  });
});
