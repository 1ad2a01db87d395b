// Runs before `npm start` and `npm test`, also under an older Node than the pinned one: plain CommonJS, nothing imported from a package.
const { existsSync, readFileSync } = require('node:fs');
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');

const root = join(__dirname, '..');
const installed = join(root, 'node_modules', '.package-lock.json');

/** The packages are there, and every package the lock names for this platform is in the version the lock names. */
function isUpToDate() {
  if (!existsSync(installed)) return false;
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const present = JSON.parse(readFileSync(installed, 'utf8')).packages;
  return Object.entries(wanted).every(
    ([path, entry]) => path === '' || entry.optional || present[path]?.version === entry.version,
  );
}

if (!isUpToDate()) {
  console.log('Kanal: installing packages (npm ci) …');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const result = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: root, stdio: 'inherit' });
  process.exit(result.status ?? 1);
}
