import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/**
 * `npm test` runs two files at once where that disturbs nobody, then, one after the other, those that start processes, kill them or look at
 * the pace of work. With arguments it is jest with these arguments.
 */
const alone = '/test/(browser|cli|crash|deployment|workers|src/(ledger|metrics))/';
const own = process.argv.slice(2);
const runs =
  own.length > 0
    ? [own]
    : [
        ['--maxWorkers=2', `--testPathIgnorePatterns=${alone}`],
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
