type Servers = { kanalTestServers?: Promise<{ remove(): Promise<void> }[]> };

export default async function globalTeardown() {
  const servers = (await (globalThis as Servers).kanalTestServers) ?? [];
  await Promise.all(servers.map((server) => server.remove()));
}
