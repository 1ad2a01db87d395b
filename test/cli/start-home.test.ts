import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { openHome } from '../../cli/start/home.ts';

const place = mkdtempSync(join(tmpdir(), 'kanal-homes-'));
// A user who is nobody comes this far.
chmodSync(place, 0o755);
afterAll(() => rmSync(place, { recursive: true, force: true }));

const nobody = 65_534;
const isRoot = process.geteuid!() === 0;

/** Permissions stop no root: as somebody else, for as long as it takes. */
function byAnyUser<Result>(work: () => Result): Result {
  if (!isRoot) return work();
  process.seteuid!(nobody);
  try {
    return work();
  } finally {
    process.seteuid!(0);
  }
}

let homes = 0;
/** A home as an earlier start has left it, of which `part` has another mode. */
function homeWith(part: string, mode: number): string {
  homes += 1;
  const home = join(place, `home-${homes}`);
  for (const folder of ['run', 'logs']) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(join(home, 'kept.json'), '{}');
  for (const path of isRoot ? ['', 'run', 'logs', 'kept.json'] : []) chownSync(join(home, path), nobody, nobody);
  chmodSync(join(home, part), mode);
  return home;
}

const refusedIn = (home: string) => new Error(`${home} cannot be written (EACCES): set KANAL_HOME to a directory of yours`);

test('one that cannot be made is named with the setting that chooses it', () => {
  const locked = join(place, 'locked');
  mkdirSync(locked, { mode: 0o555 });
  const home = join(locked, 'home');
  expect(() => byAnyUser(() => openHome(home))).toThrow(refusedIn(home));
});

test.each([
  ['nothing may be written', '', 0o555],
  ['nothing may be read', '', 0o000],
  ['what it keeps may not be read', 'kept.json', 0o000],
  ['no process may be noted', 'run', 0o555],
  ['no log may be written', 'logs', 0o555],
])('so is one in which %s', (_what, part, mode) => {
  const home = homeWith(part, mode);
  expect(() => byAnyUser(() => openHome(home))).toThrow(refusedIn(home));
  chmodSync(join(home, part), 0o700);
  expect(byAnyUser(() => openHome(home)).path).toBe(home);
});

test('one that holds something else is left as it is', () => {
  const home = join(place, 'other');
  mkdirSync(home);
  writeFileSync(join(home, 'letter'), '');
  expect(() => openHome(home)).toThrow(new Error(`${home} holds something else: choose another KANAL_HOME`));
  expect(readdirSync(home)).toEqual(['letter']);
});

test('one that is there is opened with what it keeps', () => {
  const home = join(place, 'mine');
  const { secretKey } = openHome(home).kept;
  expect(openHome(home).kept.secretKey).toBe(secretKey);
});
