import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { useApp } from '../support/app.ts';
import { type Exposition, readExposition, type Sample } from '../support/prometheus.ts';
import { describeWithPromtool, withFile } from '../support/promtool.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { ago } from '../support/stored/times.ts';
import { storedDeliveries, storedEndpoints } from '../support/stored/webhooks.ts';
import { waitFor } from '../support/wait-for.ts';

type Target = { expr: string; legendFormat: string; refId: string };
type Panel = { title: string; type: string; targets?: Target[]; gridPos: Record<'h' | 'w' | 'x' | 'y', number> };

const dashboard = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'monitoring', 'webhooks.json'), 'utf8'),
) as {
  panels: Panel[];
};
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat, refId }) => ({
    name: `${title} ${refId}`,
    expr: expr.replaceAll('$__rate_interval', '5m'),
    legendFormat,
  })),
);

const token = 'token-of-the-scraper';
const app = useApp({ env: { METRICS_TOKEN: token, HEALTH_PORT: '0' } });
let receiver: Receiver;
let web: Exposition;
let worker: Exposition;
let samples: Sample[];

/** A delivery that is refused and then taken, on two fresh connections; another that is given up. */
beforeAll(async () => {
  receiver = await startReceiver();
  const { healthPort } = await app.startWorkers();
  receiver.answer({ status: 500, headers: { connection: 'close' } }, {});
  const body = { url: receiver.url.replace('127.0.0.1', 'localhost'), event_types: ['webhook.test'] };
  const { id } = (await app.call('webhooks.endpoints.create', { body })).body;
  for (const outcome of ['failed', 'succeeded']) {
    await app.call('webhooks.endpoints.test', { params: { endpointID: id } });
    await waitFor(`the delivery ${outcome}`, async () => {
      const rows = await storedDeliveries.all(app, { state: outcome });
      return rows.length > 0;
    });
  }
  await storedEndpoints.change(app, id, { failing_since: ago(2, 'hour') });
  const scrape = async (base: string) =>
    readExposition(await (await fetch(`${base}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text());
  web = await scrape(app.base);
  worker = await scrape(`http://127.0.0.1:${healthPort}`);
  samples = [...web.samples, ...worker.samples];
});
afterAll(() => receiver.close());

test('the panels do not lie over each other', () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { h, w, x, y } }) =>
    Array.from({ length: h * w }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  for (const { gridPos } of dashboard.panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
});

describe.each(queries)('$name', ({ expr, legendFormat }) => {
  const selectors = [...expr.matchAll(/\b(kanal_\w+)(?:\{([^}]*)\})?/g)];

  test('names metrics that a scrape has', () => {
    expect(selectors.length).toBeGreaterThan(0);
    for (const [, name] of selectors) expect(samples.map((sample) => sample.name)).toContain(name);
  });

  test('names labels and values that a scrape has', () => {
    for (const [, name, matchers = ''] of selectors) {
      const own = samples.filter((sample) => sample.name === name);
      for (const [, label, operator, value] of matchers.matchAll(/(\w+)(=~?|!=|!~)"([^"]*)"/g)) {
        const values = own.map(({ labels }) => labels[label!]);
        expect(values).not.toContain(undefined);
        for (const wanted of operator!.endsWith('~') ? value!.split('|') : [value]) expect(values).toContain(wanted);
      }
    }
  });

  test('groups and names its lines by labels that a scrape has', () => {
    const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names]) => names!.split(', '));
    const labels = samples.filter(({ name }) => selectors.some(([, own]) => own === name)).map((sample) => sample.labels);
    for (const label of grouped) expect(labels.every((own) => label in own)).toBe(true);
    for (const [, label] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) expect(grouped).toContain(label);
  });
});

describeWithPromtool('each query, over the series of a scrape', (promtool) => {
  /** Counters that grow, and figures that stay. */
  const seriesOf = ({ types, samples: all }: Exposition, instance: string) =>
    all
      .filter(({ name }) => name.startsWith('kanal_'))
      .map(({ name, labels, value }) => {
        const given = Object.entries({ ...labels, instance }).map(([label, text]) => `${label}=${JSON.stringify(text)}`);
        const isGauge = types.get(name) === 'gauge';
        return { series: `${name}{${given.join(',')}}`, values: isGauge ? `${value}x60` : '0+10x60' };
      });

  test('can be read by Prometheus', () => {
    const rules = queries.map(({ expr }, index) => ({ record: `query:${index}`, expr }));
    withFile('rules.json', { groups: [{ name: 'dashboard', rules }] }, (path) => promtool.check(path));
  });

  test('finds something', () => {
    const tests = [
      {
        interval: '1m',
        input_series: [...seriesOf(web, 'web'), ...seriesOf(worker, 'worker')],
        promql_expr_test: queries.map(({ expr }) => ({
          expr: `count(${expr}) > bool 0`,
          eval_time: '30m',
          exp_samples: [{ labels: '{}', value: 1 }],
        })),
      },
    ];
    withFile('tests.json', { rule_files: [], evaluation_interval: '1m', tests }, (path) => promtool.test(path));
  });
});
