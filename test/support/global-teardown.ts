import { endRun } from './jest/at-end.ts';

type Servers = { kanalTestServers?: Promise<{ remove(): Promise<void> }[]> };

export default async function globalTeardown() {
  // With one jest worker the tests ran in this process.
  await endRun();
  const servers = (await (globalThis as Servers).kanalTestServers) ?? [];
  await Promise.all(servers.map((server) => server.remove()));
}
