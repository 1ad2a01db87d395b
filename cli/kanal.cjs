#!/usr/bin/env node
// `npx kanal …`: runs main.ts with the Node of the package, whichever Node this one is. Plain CommonJS for an older one; nothing imported from a package.
const { spawn } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const pinned = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
// An image brings its own Node and not the package.
const node = existsSync(pinned) ? pinned : process.execPath;

if (node === process.execPath && Number(process.versions.node.split('.')[0]) < 24) {
  console.error(`Kanal runs on Node 24, this is ${process.version}: install the packages with npm ci, which brings it.`);
  process.exit(1);
}

const child = spawn(node, [join(__dirname, 'main.ts'), ...process.argv.slice(2)], { stdio: 'inherit' });
// A terminal sends Ctrl-C to both; other signals reach this process only.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('error', (error) => {
  console.error(`Kanal could not be started: ${error.message}`);
  process.exitCode = 1;
});
child.on('exit', (code, signal) => {
  if (signal) process.kill(process.pid, signal === 'SIGINT' ? 'SIGTERM' : signal);
  else process.exitCode = code;
});
