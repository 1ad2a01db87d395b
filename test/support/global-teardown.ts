type Servers = { kanalTestServers?: { remove(): Promise<void> }[] };

export default async function globalTeardown() {
  const servers = (globalThis as Servers).kanalTestServers ?? [];
  await Promise.all(servers.map((server) => server.remove()));
}
