import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Step } from '../../../src/automation/definition/definition.ts';
import { setUrlRules } from '../../../src/automation/http/url-rules.ts';
import { createHttpCaller } from '../../../src/webhooks/http-caller.ts';
import { runRule } from '../../../workers/automation/run.ts';
import type { ToyHandler } from '../../support/house.ts';
import { openRuleHouse, type RuleHouse } from '../../support/rule-runs.ts';
import { testSecrets } from '../../support/secrets.ts';
import { ruleVersionRows, runRows, secretRows, stepRows } from '../../support/work/automation.ts';
import { contactRows } from '../../support/work/contacts.ts';
import { eventRows } from '../../support/work/events.ts';
import { jobRows, makeDue } from '../../support/work/jobs.ts';

let at: RuleHouse;
let url: string;
let answers: number[];
const seen: { authorization: string | undefined; key: string | undefined; body: string }[] = [];
const secret = 's3cr3t-of-the-crm';
const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    const { authorization, 'idempotency-key': key } = request.headers;
    seen.push({ authorization, key: String(key), body });
    response.writeHead(answers.shift() ?? 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ lead: 7, you_said: authorization }));
  });
});

beforeAll(async () => {
  at = await openRuleHouse();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/leads`;
  setUrlRules({ webhookAllowHttp: true, webhookAllowNetworks: ['127.0.0.1/32'] });
  at.house.deps.http = createHttpCaller({ allowHttp: true, allowNetworks: ['127.0.0.1/32'] });
  await secretRows.add(at, {
    organization_id: at.organization,
    name: 'CRM_TOKEN',
    value: testSecrets.seal(secret),
    hosts: ['127.0.0.1'],
  });
});
afterAll(async () => {
  await at.house.deps.http.close();
  await new Promise((resolve) => server.close(resolve));
  await at.close();
});
beforeEach(() => {
  seen.length = 0;
  answers = [];
});

/** With the actions that there are. */
async function work(run: string): Promise<void> {
  const [before] = await at.jobs(run);
  await makeDue(at, before!.id);
  if (before!.state === 'waiting') await at.house.ledger.fill(at.house.pool(before!.pool));
  const [row] = await at.jobs(run);
  await at.house.run(runRule as unknown as ToyHandler, { id: row!.id, run: row!.run });
}
async function toEnd(run: string) {
  for (let round = 0; round < 10 && (await at.jobs(run)).length > 0; round += 1) await work(run);
  return at.seen(run);
}

const telling = (more: object = {}): Step[] => [
  {
    id: 'tell',
    type: 'http_request',
    url,
    headers: { Authorization: 'Bearer {{ secrets.CRM_TOKEN }}' },
    body: { name: '{{ contact.name }}' },
    ...more,
  },
];

test('a rule tells a system, and the secret is nowhere but in the call', async () => {
  const run = await at.begin(await at.rule(telling()));
  expect(await toEnd(run)).toMatchObject({ state: 'succeeded' });
  expect(seen).toEqual([{ authorization: `Bearer ${secret}`, key: `${run}.tell`, body: '{"name":"Ada"}' }]);
  const [step] = await at.steps(run);
  expect(step).toMatchObject({
    state: 'done',
    input: { headers: { Authorization: 'Bearer {{ secrets.CRM_TOKEN }}' }, body: { name: 'Ada' } },
    output: { status: 200, body: { lead: 7, you_said: 'Bearer {{ secrets.CRM_TOKEN }}' } },
  });
  const stored = [
    await stepRows.all(at),
    await runRows.all(at),
    await eventRows.all(at),
    await jobRows.all(at),
    await ruleVersionRows.all(at),
  ];
  for (const rows of stored) expect(JSON.stringify(rows)).not.toContain(secret);
  expect(JSON.stringify(at.house.lines)).not.toContain(secret);
});

test('a 500 is not asked again, unless the rule says that it may be', async () => {
  answers = [500];
  const once = await at.begin(await at.rule(telling()));
  expect(await toEnd(once)).toMatchObject({ state: 'failed', failed_step: 'tell', error: { code: 'http_500' } });
  expect(seen).toHaveLength(1);
  answers = [500, 503, 200];
  const again = await at.begin(await at.rule(telling({ idempotent: true })));
  expect(await toEnd(again)).toMatchObject({ state: 'succeeded' });
  expect(seen.slice(1).map(({ key }) => key)).toEqual([`${again}.tell`, `${again}.tell`, `${again}.tell`]);
});

test('a header that a name cannot stand in fails the step, and says which', async () => {
  const subjectId = await at.contact();
  await contactRows.change(at, subjectId, { name: 'Łukasz' });
  const run = await at.begin(
    await at.rule(telling({ headers: { A: 'Bearer {{ secrets.CRM_TOKEN }}', 'X-Name': '{{ contact.name }}' } })),
    {
      subjectId,
    },
  );
  expect(await toEnd(run)).toMatchObject({
    ...{ state: 'failed', failed_step: 'tell' },
    error: { code: 'invalid_request', message: expect.stringContaining('headers.X-Name') },
  });
  expect(seen).toEqual([]);
});

test('an address of the inside that a text gives is refused at the call', async () => {
  const inside = telling({ url: 'http://{{ contact.custom_fields.host }}/' });
  const subjectId = await at.contact({ host: '10.0.0.1' });
  const run = await at.begin(await at.rule(inside), { subjectId });
  expect(await toEnd(run)).toMatchObject({ state: 'failed', failed_step: 'tell' });
  expect(JSON.stringify((await at.seen(run)).error)).toMatch(/not a public address/);
  expect(seen).toEqual([]);
});
