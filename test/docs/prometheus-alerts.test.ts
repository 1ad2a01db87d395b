import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import { parse } from 'yaml';
import { requestMetrics } from '../../api/http/middleware/request-metrics.ts';
import { commerceTallies } from '../../src/commerce/tallies.ts';
import { queueNames } from '../../src/platform/ledger/queue-names.ts';
import { createMetrics } from '../../src/platform/metrics/metrics.ts';
import { createTallies } from '../../src/platform/metrics/tallies.ts';
import { startClock } from '../../src/platform/time/clock-skew.ts';
import { measuredProvider } from '../../src/providers/measured.ts';
import { measuredSender } from '../../src/webhooks/measured-sender.ts';
import { createJobMetrics } from '../../workers/job-metrics.ts';
import { createFileMetrics } from '../../workers/messaging/file-metrics.ts';
import { createFlowMetrics } from '../../workers/provider-webhooks/flow-metrics.ts';
import { createSweepMetrics } from '../../workers/sweep-metrics.ts';
import { createDeliveryMetrics } from '../../workers/webhooks/delivery-metrics.ts';

const docs = (name: string) => readFileSync(join(import.meta.dirname, '..', '..', 'docs', name), 'utf8');
const rules = docs('prometheus-alerts.yml')
  .split('- alert: ')
  .slice(1)
  .map((text) => ({
    name: text.split('\n')[0]!,
    expression: /expr: (?:>-)?([\s\S]*?)\n {8}(?:for|labels):/.exec(text)![1]!.trim().replace(/\s+/g, ' '),
    isPage: text.includes('severity: page'),
  }));

/** Every metric with its labels, as the processes register them. */
async function registered() {
  const { registry } = createMetrics({
    process: 'web',
    database: undefined as never,
    queues: { backend: { name: 'redis' } } as never,
    isServed: true,
  });
  requestMetrics(registry);
  measuredProvider(registry);
  measuredSender(registry, undefined as never);
  createJobMetrics(registry);
  createDeliveryMetrics(registry);
  createFileMetrics(registry);
  createFlowMetrics(registry);
  createTallies(registry, commerceTallies);
  createSweepMetrics(registry);
  startClock({
    database: { pool: { query: () => Promise.reject(new Error('away')) } } as never,
    log: undefined as never,
    registry,
  }).stop();
  expect(registry).toBeInstanceOf(Registry);
  return new Map(
    registry.getMetricsAsArray().map((metric) => [metric.name, metric as unknown as { type: string; labelNames: string[] }]),
  );
}

test('every alert speaks of metrics and labels there are', async () => {
  const metrics = await registered();
  expect(rules.length).toBeGreaterThan(15);
  const plain = (name: string) => (metrics.has(name) ? name : name.replace(/_(bucket|count|sum)$/, ''));
  for (const { name, expression } of rules) {
    const used = [...expression.matchAll(/\b((?:kanal|nodejs)_\w+)(?:\{([^}]*)\})?/g)];
    expect([name, used.length > 0]).toEqual([name, true]);
    for (const [, metric, matchers = ''] of used) {
      const found = metrics.get(plain(metric!));
      expect([name, metric, found !== undefined]).toEqual([name, metric, true]);
      for (const [, label] of matchers.matchAll(/(\w+)(?:=~?|!=|!~)"/g)) expect(found!.labelNames).toContain(label);
    }
    for (const [, queue] of expression.matchAll(/queue="([^"]+)"/g)) expect(queueNames).toContain(queue);
  }
});

test('the scrape that the page shows keeps labels of ours that Prometheus would rename', async () => {
  const labels = [...(await registered()).values()].flatMap(({ labelNames }) => labelNames);
  const [, text = ''] = /```yaml\n(scrape_configs:[\s\S]*?)```/.exec(docs('operations.md'))!;
  const [scrape] = (parse(text) as { scrape_configs: object[] }).scrape_configs;
  expect(labels).toContain('job');
  expect(scrape).toMatchObject({ honor_labels: true });
});

test('each stands in the page of whoever is on call, with its expression and what to do', () => {
  const rows = docs('operations.md')
    .split('\n')
    .filter((line) => /^\| `Kanal/.test(line))
    .map((line) =>
      line
        .replaceAll('\\|', '\u0000')
        .split('|')
        .map((cell) => cell.trim().replaceAll('\u0000', '|')),
    );
  expect(rows.map(([, name, expression]) => [name, expression])).toEqual(
    rules.map(({ name, expression, isPage }) => [`\`${name}\`${isPage ? ' (page)' : ''}`, `\`${expression}\``]),
  );
  for (const [, name, , meaning = '', todo = ''] of rows)
    expect([name, meaning.length > 10, todo.length > 10]).toEqual([name, true, true]);
});
