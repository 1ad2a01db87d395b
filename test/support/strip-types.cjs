// Jest's transform: Node's own type stripping, so that tests run the very code that production runs.
const { stripTypeScriptTypes } = require('node:module');

module.exports = { process: (source, path) => ({ code: path.endsWith('.ts') ? stripTypeScriptTypes(source) : source }) };
