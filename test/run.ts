import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * `npm test` runs two files at once: first those that need a database at most, then those that start processes, browsers and workers; and in
 * the end, one after the other, those that kill processes or look at the pace of work. With arguments it is jest with these arguments.
 */
const heavy = '/test/(browser|cli|deployment|workers|src/platform/metrics)/';
const alone = '/test/(crash|src/platform/ledger)/';
const own = process.argv.slice(2);
const runs =
  own.length > 0
    ? [own]
    : [
        ['--maxWorkers=2', `--testPathIgnorePatterns=${heavy}`, `--testPathIgnorePatterns=${alone}`],
        ['--maxWorkers=2', `--testPathPatterns=${heavy}`],
        ['--runInBand', `--testPathPatterns=${alone}`],
      ];

let code = 0;
for (const args of runs) {
  const jest = join(import.meta.dirname, '../node_modules/jest/bin/jest.js');
  const { status } = spawnSync(
    process.execPath,
    ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', jest, ...args],
    { stdio: 'inherit' },
  );
  code = status || (status === null ? 1 : code);
}
process.exitCode = code;
