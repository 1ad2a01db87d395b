import { randomBytes } from 'node:crypto';
import { uuidv7 } from '../src/platform/ids.ts';
import { sha256 } from '../src/platform/secrets.ts';
import { type Definition, definitions, isPersonal } from '../test/support/contract.ts';
import { hostileBodies, takesJson } from '../test/support/hostile-bodies.ts';
import type { Side, Stage } from './stage.ts';

/** What a caller may send, and what one without a credential may. */
const sizes = [1024 * 1024, 16 * 1024];
export type Cost = { operationId: string; what: string; status: number; cpuMs: number; replyBytes: number };

/** Above this a body is sent again: what else the process does meanwhile only adds. */
const cheapMs = 10;

/** What each hostile body costs a web process in CPU, one at a time: the least of at most so many rounds. */
export async function bodies({ kanal }: Stage, rounds: number, only?: string): Promise<Cost[]> {
  const cookie = await session(kanal);
  const { process, base } = await kanal.startWeb();
  const post = async (definition: Definition, body: string) => {
    const path = definition.path.replace(/:(\w+)/g, () => uuidv7());
    const response = await fetch(base + path, {
      method: definition.method.toUpperCase(),
      headers: {
        'content-type': 'application/json',
        ...(definition.scope !== 'public' &&
          (isPersonal(definition) ? { cookie, origin: base } : { 'x-api-key': kanal.tenant.apiKey })),
      },
      body,
      signal: AbortSignal.timeout(60_000),
    });
    return { status: response.status, replyBytes: (await response.arrayBuffer()).byteLength };
  };
  const costs: Cost[] = [];
  try {
    for (const definition of definitions.filter(takesJson)) {
      // What is compiled late is no cost of a body.
      for (let number = 0; number < 20; number += 1) await post(definition, '{"nonsense":[{"a":1}]}');
      for (const { what, body } of sizes.flatMap((bytes) =>
        bytes === sizes[0] || definition.scope === 'public' ? [...hostileBodies(definition, bytes)] : [],
      )) {
        const name = `${definition.operationId}: ${what}`;
        if (only && !new RegExp(only).test(name)) continue;
        let last = { status: 0, replyBytes: 0 };
        let cpuMs = Number.POSITIVE_INFINITY;
        for (let number = 0; number < rounds && cpuMs > cheapMs; number += 1) {
          const before = await process.usage();
          last = await post(definition, body);
          cpuMs = Math.min(cpuMs, (await process.usage()).cpuMs - before.cpuMs);
        }
        costs.push({ operationId: definition.operationId, what, ...last, cpuMs });
      }
    }
  } finally {
    await process.stop();
  }
  return costs;
}

async function session({ sql, tenant }: Side): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  const userId = uuidv7();
  await sql.query(`insert into users (id, email, name) values ($1, 'bodies@example.com', 'Bench')`, [userId]);
  await sql.query(`insert into memberships (organization_id, user_id, role) values ($1, $2, 'owner')`, [
    tenant.organizationId,
    userId,
  ]);
  await sql.query(
    `insert into sessions (id, user_id, organization_id, hash, expires_at) values ($1, $2, $3, $4, now() + interval '1 day')`,
    [uuidv7(), userId, tenant.organizationId, sha256(token)],
  );
  return `kanal_session=${token}`;
}

export function bodiesReport(costs: Cost[]): string {
  const refused = costs.filter(({ status }) => status >= 400).sort((a, b) => b.cpuMs - a.cpuMs);
  const row = ({ operationId, what, status, cpuMs, replyBytes }: Cost) =>
    `| ${operationId} | ${what} | ${status} | ${cpuMs.toFixed(1)} | ${(replyBytes / 1024).toFixed(1)} |`;
  const worst = refused[0];
  return [
    '| operation | body | status | CPU ms | reply kB |',
    '| --- | --- | --- | --- | --- |',
    ...refused.slice(0, 25).map(row),
    '',
    `${costs.length} bodies of up to 1 MiB, ${refused.length} of them refused, ${costs.filter(({ status }) => status >= 500).length} with a 5xx; the dearest cost ${worst?.cpuMs.toFixed(1)} ms of CPU.`,
  ].join('\n');
}
