import { spawn } from 'node:child_process';
import { cleanEnvironment } from '../cli/command.ts';
import type { App } from '../support/app.ts';

/** The blocks of a page that are for a shell, one after the other. */
export const commandsOf = (page: string): string =>
  [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block).join('\n');

/**
 * As somebody who pastes the page into a shell, line by line, with what `npm start` would have written into demo.json. `made`: what it would
 * name besides. A command that fails ends it; `tells`: variables to print at the end.
 */
export function pasted(
  { base, sandboxUrl, tenant }: App,
  lines: string,
  tells: string[],
  made: Record<string, string> = {},
): Promise<{ code: number | null; output: string; told: Record<string, string> }> {
  const known = { base_url: base, api_key: tenant.key, sandbox_url: sandboxUrl, ...made };
  const cases = Object.entries(known).map(([name, value]) => `${name}) echo ${value};;`);
  const demo = `demo() { case $1 in ${cases.join(' ')} esac; }`;
  const own = lines.replace(/^demo\(\).*$/m, () => demo).replaceAll('curl -sS', 'curl -sS --fail-with-body');
  const ends = tells.map((name) => `printf '\\n${name}=%s\\n' "$${name}"`);
  const bash = spawn('bash', ['-euo', 'pipefail', '-c', [own, ...ends].join('\n')], { env: cleanEnvironment() });
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk;
  };
  for (const stream of [bash.stdout, bash.stderr]) stream.on('data', keep);
  const told = () => Object.fromEntries(tells.map((name) => [name, new RegExp(`^${name}=(.*)$`, 'm').exec(output)?.[1] ?? '']));
  return new Promise((resolve) => bash.on('close', (code) => resolve({ code, output, told: told() })));
}
