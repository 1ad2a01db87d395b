import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { placements, sequences } from '../../../../src/platform/database/placement.ts';

const page = readFileSync('docs/scale.md', 'utf8');
const tablesPart = page.slice(page.indexOf('\n## Tables'), page.indexOf('\n## Several processes'));
const codeIn = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);

/** Tables of the rows whose second cell begins with that word. */
const tablesOf = (placement: string) =>
  tablesPart
    .split('\n')
    .map((line) => line.split(' | '))
    .filter(([, where]) => where?.startsWith(placement))
    .flatMap(([what]) => codeIn(what!))
    .sort();

test.each(['reference', 'local'] as const)('docs/scale.md names the %s tables, and no others', (placement) => {
  const known = Object.keys(placements).filter((name) => placements[name]!.placement === placement);
  expect(tablesOf(placement)).toEqual(known.sort());
});

test('docs/scale.md names every sequence and every pool that all organizations share', () => {
  const sources = globSync('src/**/*.ts').map((path) => readFileSync(path, 'utf8'));
  const pools = sources.flatMap((source) => [...source.matchAll(/sharedPool\('([a-z-]+)'\)/g)]);
  expect(pools.length).toBeGreaterThan(3);
  const names = [...new Set([...pools.map(([, pool]) => `shared:${pool}`), ...sequences])];
  expect(names.filter((name) => !codeIn(tablesPart).includes(name))).toEqual([]);
});
