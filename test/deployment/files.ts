import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const root = join(import.meta.dirname, '..', '..');
export const textOf = (file: string) => readFileSync(join(root, file), 'utf8');

type Condition = { condition: string };
export type Service = {
  image: string;
  build?: string;
  user?: string;
  command?: string[];
  environment?: Record<string, string | number>;
  depends_on?: Record<string, Condition>;
  deploy?: { replicas: number };
  healthcheck?: { disable?: boolean; test?: string[] };
  profiles?: string[];
  stop_grace_period?: string;
  volumes?: string[];
};
type Compose = { services: Record<string, Service>; volumes: Record<string, unknown> };

export const compose = parse(textOf('docker-compose.yml'), { merge: true }) as Compose;

/** Name and command line of each of its lines. */
export const procfile = Object.fromEntries(
  textOf('Procfile')
    .trim()
    .split('\n')
    .map((line) => line.split(': ', 2) as [string, string]),
);

/** A stage each: its instructions in order, continued lines joined, comments left out. */
export const dockerStages = textOf('Dockerfile')
  .replace(/^#.*\n/gm, '')
  .replace(/\\\n/g, '')
  .split(/^(?=FROM )/m)
  .filter(Boolean)
  .map((stage) =>
    stage
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => ({ name: line.split(' ', 1)[0]!, rest: line.slice(line.indexOf(' ') + 1).trim() })),
  );
export const finalStage = dockerStages.at(-1)!;

/** What compose makes of `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, for what the operator has set. */
export function interpolated(value: string | number, given: Record<string, string>): string {
  return String(value).replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, rest = '') => {
    if (given[name]) return given[name];
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return rest;
  });
}
