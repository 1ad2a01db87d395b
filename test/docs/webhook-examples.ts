import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnvironment, root } from '../cli/command.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Vector } from '../webhook-vectors.ts';

export type Language = { name: string; run: string; suffix: string; driver: string };

/** Reads vectors, writes what the document's code makes of each: the event, or null for what it refuses. */
const nodeDriver = `
import { text } from 'node:stream/consumers';
import { verify } from './verify.mjs';
const told = JSON.parse(await text(process.stdin)).map(({ secret, headers, body, now }) => {
  try {
    return verify(secret, headers, Buffer.from(body), now);
  } catch {
    return null;
  }
});
console.log(JSON.stringify(told));`;
const pythonDriver = `
import json, sys
from verify import verify
def told(vector):
    try:
        return verify(vector["secret"], vector["headers"], vector["body"].encode(), vector["now"])
    except ValueError:
        return None
print(json.dumps([told(vector) for vector in json.load(sys.stdin.buffer)]))`;

const node: Language = { name: 'Node', run: process.execPath, suffix: 'mjs', driver: nodeDriver };

/** Those that are on this machine; in CI a missing one is a failure, elsewhere its absence is said. */
export function languages(): Language[] {
  const run = ['python3', 'python'].find(
    (name) => spawnSync(name, ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0,
  );
  if (run) return [node, { name: 'Python', run, suffix: 'py', driver: pythonDriver }];
  if (process.env.CI === 'true') throw new Error('No Python 3.9: in CI the code of docs/webhooks.md is run in it');
  console.warn('\nNo Python 3.9 or later found: the Python of docs/webhooks.md is not tried.');
  return [node];
}

/** The code of the document, each block under its name, in a folder of its own. */
export function writeExamples(): { folder: string; names: string[]; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'kanal-webhooks-'));
  const page = readFileSync(join(root, 'docs/webhooks.md'), 'utf8');
  const blocks = [...page.matchAll(/^```(?:js|python) (\S+)\n([\s\S]*?)^```$/gm)];
  for (const [, name, code] of blocks) writeFileSync(join(folder, name!), code!);
  return { folder, names: blocks.map(([, name]) => name!), remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** The event of each vector, or null. */
export function verdictsOf({ run, suffix, driver }: Language, folder: string, vectors: Vector[]): unknown[] {
  writeFileSync(join(folder, `driver.${suffix}`), driver);
  const { stdout, stderr } = spawnSync(run, [`driver.${suffix}`], {
    cwd: folder,
    encoding: 'utf8',
    input: JSON.stringify(vectors),
    env: cleanEnvironment(),
  });
  if (stderr) throw new Error(stderr);
  return JSON.parse(stdout);
}

export type RunningExample = { output(): string; stop(): Promise<void> };

/** The document's receiver as a process, when it listens. */
export async function startExample(
  { run, suffix }: Language,
  folder: string,
  port: number,
  secret: string,
): Promise<RunningExample> {
  const env = { ...cleanEnvironment(), PORT: String(port), WEBHOOK_SECRET: secret };
  const child: ChildProcess = spawn(run, [`receiver.${suffix}`], { cwd: folder, env });
  let written = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (written += chunk));
  const ended = new Promise<void>((resolve) => child.on('close', () => resolve()));
  await waitFor('the receiver', async () => {
    if (child.exitCode !== null) throw new Error(`The receiver ended:\n${written}`);
    return fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
  });
  written = '';
  return {
    output: () => written,
    async stop() {
      child.kill();
      await ended;
    },
  };
}
