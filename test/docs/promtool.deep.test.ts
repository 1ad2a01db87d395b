import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { describeWithPromtool } from '../support/promtool.ts';

const rulesFile = join(import.meta.dirname, '..', '..', 'docs', 'prometheus-alerts.yml');
const testsFile = join(import.meta.dirname, 'prometheus-alerts.tests.yml');
type Expected = { alertname: string; exp_alerts: object[] };
const tests = (parse(readFileSync(testsFile, 'utf8')) as { tests: { alert_rule_test: Expected[] }[] }).tests;
const rules = (parse(readFileSync(rulesFile, 'utf8')) as { groups: { rules: { alert: string }[] }[] }).groups.flatMap((group) =>
  group.rules.map(({ alert }) => alert),
);

test('each alert about webhooks, campaigns, rules, connections and bookings, and that of a queue without workers, is seen to fire, and not to fire', () => {
  const tried = rules.filter((name) =>
    /^Kanal(Webhook|Campaign|Automations|Rule|RunsHeldBack|QueueUnserved|ConnectionRefused|BookingsUnsynced)/.test(name),
  );
  const expected = tests.flatMap((one) => one.alert_rule_test);
  const seen = (fires: boolean) => [
    ...new Set(expected.filter(({ exp_alerts }) => exp_alerts.length > 0 === fires).map(({ alertname }) => alertname)),
  ];
  expect(tried.length).toBeGreaterThanOrEqual(9);
  expect(seen(true).sort()).toEqual([...tried].sort());
  expect(seen(false).sort()).toEqual([...tried].sort());
});

describeWithPromtool('the alert rules, by promtool', (promtool) => {
  test('can be read', () => {
    promtool.check(rulesFile);
  });

  test('fire where they should', () => {
    promtool.test(testsFile);
  });
});
