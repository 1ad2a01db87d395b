import { rmSync } from 'node:fs';
import type { Demo } from './demo.ts';
import type { DemoUser } from './demo-user.ts';
import { type Addresses, demoFileName, operatorUser } from './environment.ts';
import { writePrivate } from './files.ts';
import type { Home } from './home.ts';

export type DemoFile = Demo & {
  base_url: string;
  docs_url: string;
  sandbox_url: string;
  api_key: string;
  user: DemoUser;
  organization_id: string;
  bull_board: { url: string; user: string; password: string };
  /** `url` is the web process's, `worker_url` the worker's; the token opens both. */
  metrics: { url: string; worker_url: string; token: string };
  database_url: string;
};

type Parts = { demo: Demo; addresses: Addresses; apiKey: string; user: DemoUser; organizationId: string; databaseUrl: string };

const fileOf = (home: Home) => home.file(demoFileName);

/** Written last: while it exists, all that it names exists. */
export function writeDemoFile(home: Home, { demo, addresses, apiKey, user, organizationId, databaseUrl }: Parts): DemoFile {
  const content: DemoFile = {
    base_url: addresses.base,
    docs_url: `${addresses.base}/docs`,
    sandbox_url: addresses.sandbox,
    api_key: apiKey,
    user,
    organization_id: organizationId,
    ...demo,
    bull_board: { url: `${addresses.base}/ops/queues`, user: operatorUser, password: home.kept.operatorPassword },
    metrics: { url: `${addresses.base}/metrics`, worker_url: `${addresses.worker}/metrics`, token: home.kept.metricsToken },
    database_url: databaseUrl,
  };
  writePrivate(fileOf(home), `${JSON.stringify(content, null, 2)}\n`);
  return content;
}

export const removeDemoFile = (home: Home) => rmSync(fileOf(home), { force: true });
