/** Not imported: an import runs every getter of node:http, and one of them loads Node's own fetch, 20 ms of a start. */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
