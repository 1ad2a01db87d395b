import { createServer } from 'node:http';

/** A webhook receiver that is there and answers 500. */
createServer((request, response) => {
  request.resume();
  request.on('end', () => response.writeHead(500, { 'content-length': 0 }).end());
}).listen(Number(process.env.PORT), '127.0.0.1');
