import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * `npm test` runs first those that need a database at most, three files at once (they wait for it), then two at once those that start processes, browsers and workers, then
 * those that kill processes, each with servers and ports of its own. In the end, one after the other, those that measure the pace of work.
 * With arguments it is jest with these arguments.
 */
const heavy = '/test/(browser|cli|deployment|workers|src/platform/metrics)/';
const crash = '/test/(crash|src/platform/ledger)/';
const measured = '/test/(crash/(distance|lanes-and-pools|redis-away)|src/platform/ledger/classes-pace)';
const own = process.argv.slice(2);
const runs =
  own.length > 0
    ? [own]
    : [
        ['--maxWorkers=3', `--testPathIgnorePatterns=${heavy}`, `--testPathIgnorePatterns=${crash}`],
        ['--maxWorkers=2', `--testPathPatterns=${heavy}`],
        ['--maxWorkers=2', `--testPathPatterns=${crash}`, `--testPathIgnorePatterns=${measured}`],
        ['--runInBand', `--testPathPatterns=${measured}`],
      ];

let code = 0;
for (const args of runs) {
  const jest = join(import.meta.dirname, '../node_modules/jest/bin/jest.js');
  const { status } = spawnSync(process.execPath, [jest, ...args], { stdio: 'inherit' });
  code = status || (status === null ? 1 : code);
}
process.exitCode = code;
