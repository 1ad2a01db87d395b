import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Api } from '../../cli/listen/api.ts';
import { register, removeLeftovers } from '../../cli/listen/endpoint.ts';
import { machineOf } from '../../cli/listen/machine.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kanal-machine-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Endpoints by their description; the id is their place. */
function kanalWith(descriptions: string[]) {
  const removed: number[] = [];
  const api = async (method: string, path: string, { body }: { body?: { description: string } } = {}) => {
    if (method === 'POST') descriptions.push(body!.description);
    if (method === 'DELETE') removed.push(Number(path.split('/').at(-1)));
    return { items: descriptions.map((description, id) => ({ id: String(id), description })) };
  };
  return { api: api as unknown as Api, descriptions, removed };
}

test('a leftover of this machine is removed; a run of a machine with the same host name keeps its endpoint', async () => {
  const { api, descriptions, removed } = kanalWith([]);
  await register(api, 'http://127.0.0.1:9/');
  const mine = descriptions[0]!;
  const killed = mine.replace(/process \d+\./, 'process 1.');
  const foreign = killed.replace(machineOf(), machineOf({ system: join(folder, 'none'), own: join(folder, 'another') }));
  expect(new Set([mine, killed, foreign]).size).toBe(3);
  descriptions.push(killed, foreign, 'orders');
  expect(await removeLeftovers(api)).toBe(1);
  expect(removed).toEqual([1]);
});

test('the machine is the same in each run, by the id of the system or by one that is kept', () => {
  const [system, own] = [join(folder, 'system'), join(folder, 'own')];
  const kept = machineOf({ system, own });
  expect(machineOf({ system, own })).toBe(kept);
  writeFileSync(system, 'b0c5d4f2\n');
  const known = machineOf({ system, own });
  expect([machineOf({ system, own: join(folder, 'other') }), known === kept]).toEqual([known, false]);
  expect(known).not.toContain('b0c5');
  expect(readFileSync(own, 'utf8')).toMatch(/^[0-9a-f-]{36}\n$/);
});

test('a home that cannot be written: each run is a machine of its own, and removes nothing of another', () => {
  const nowhere = { system: join(folder, 'none'), own: join(folder, 'no', 'such', 'folder') };
  expect(machineOf(nowhere)).not.toBe(machineOf(nowhere));
});
