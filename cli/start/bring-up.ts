import { flushCompileCache } from 'node:module';
import { readConfig, type StartEnvironment } from '../../src/platform/config/config.ts';
import { commandLog } from '../connect.ts';
import { openDatabaseOf } from './database/database.ts';
import { prepareServer } from './database/server.ts';
import { writeDemoFile } from './demo-file.ts';
import { type Addresses, addressesOf, appEnvironment, sandboxEnvironment } from './environment.ts';
import type { Home } from './home.ts';
import { ask } from './local-http.ts';
import { launchNode } from './node-process.ts';
import type { Output } from './output.ts';
import type { Parts } from './parts.ts';
import { freePort } from './ports.ts';
import { queueAnswers } from './queue.ts';
import { until } from './until.ts';
import { welcome } from './welcome.ts';

export type BringUp = { environment: StartEnvironment; home: Home; output: Output; parts: Parts; signal: AbortSignal };

/** Starts everything in order; parts that depend on no other start at once. */
export async function bringUp(context: BringUp) {
  const { environment, home, output, parts, signal } = context;
  const addresses = await chooseAddresses(environment, output);
  const node = (name: string, script: string, env: NodeJS.ProcessEnv) => () => launchNode({ name, script, env }, home, output);
  const { letContactWrite, prepareDemo } = await import('./demo.ts');

  parts.start('sandbox', {
    launch: node('sandbox', 'sandbox/main.ts', sandboxEnvironment(home, addresses)),
    onRestart: () => void letContactWrite(addresses, signal).catch(() => undefined),
  });
  const [databaseUrl] = await Promise.all([
    environment.databaseUrl ?? startDatabase(context),
    environment.queueUrl && queueAnswers(environment.queueUrl, output, signal),
  ]);
  const { migrate } = await import('../migrate.ts');
  const env = appEnvironment(home, addresses, databaseUrl);
  const config = readConfig(env);
  await output.step('migrations', () => migrate(config, commandLog()));

  flushCompileCache();
  parts.start('web', { launch: node('web', 'api/main.ts', env) });
  parts.start('worker', { launch: node('worker', 'workers/main.ts', env) });

  const { openDatabase } = await import('../../src/open-database.ts');
  const { ownRows } = await import('../../src/platform/database/own.ts');
  const { demoOrganization } = await import('./demo-organization.ts');
  const database = await openDatabase({ url: databaseUrl, poolMax: 2, applicationName: 'kanal-start', log: commandLog() });
  try {
    const { demoAccount } = await import('../../sandbox/demo-account.ts');
    const { prepareRates } = await import('./demo-rates.ts');
    const [owner] = await Promise.all([
      demoOrganization(database, home, demoAccount.phone_number_id),
      output.step('readyz', () => webIsReady(addresses, signal)),
    ]);
    const { exchangeRatesUrl: url, providerTimeoutMs: timeoutMs } = config;
    const { organizationId } = owner;
    if (url) await output.step('rates', () => prepareRates({ database, organizationId, url, timeoutMs, signal }));
    const demo = await output.step('demo', () =>
      prepareDemo({
        database,
        own: ownRows(database, organizationId),
        addresses,
        apiKey: owner.apiKey,
        webhookSecret: home.kept.serviceSecret,
        signal,
      }),
    );
    const file = writeDemoFile(home, { demo, addresses, ...owner, databaseUrl });
    output.say(welcome(file, home.file('demo.json')));
  } finally {
    await database.close();
  }
}

async function chooseAddresses({ port, sandboxPort }: StartEnvironment, output: Output): Promise<Addresses> {
  const web = await freePort(port);
  const sandbox = await freePort(sandboxPort, [web]);
  const worker = await freePort(port === 0 ? 0 : web + 1, [web, sandbox]);
  if (port !== 0 && web !== port) output.say(`Port ${port} is taken: the API listens on ${web}`);
  if (sandboxPort !== 0 && sandbox !== sandboxPort) output.say(`Port ${sandboxPort} is taken: the sandbox listens on ${sandbox}`);
  return addressesOf(web, sandbox, worker);
}

async function startDatabase({ home, output, parts, signal }: BringUp): Promise<string> {
  const server = await prepareServer(home, output, signal);
  parts.start('database', { launch: server.launch });
  return output.step('database', () => openDatabaseOf(server, home.kept.databasePassword, signal));
}

const webIsReady = ({ base }: Addresses, signal: AbortSignal) =>
  until('The start of the web process', signal, async () => {
    const answer = await ask(`${base}/readyz`, { signal });
    return answer?.status === 200 || undefined;
  });
