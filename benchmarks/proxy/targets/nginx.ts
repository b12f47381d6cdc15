import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { answers, freePort, startChild } from '../measure/child.ts';
import { PROXY_CORE } from '../measure/cores.ts';
import { findOnPath, pinned } from '../measure/machine.ts';
import type { Bench, Target } from './target.ts';

/** The peer: nginx as a plain keep-alive proxy, one worker, no access log, no checks of any kind. */
export async function startNginx({ mockPort, workDir }: Bench): Promise<Target | null> {
  const nginx = findOnPath('nginx');
  if (nginx === null) return null;
  const port = await freePort();
  const directory = join(workDir, 'nginx');
  mkdirSync(directory, { recursive: true });
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, configuration(port, mockPort, directory));
  const child = await startChild({
    command: pinned(PROXY_CORE, [nginx, '-p', directory, '-c', file, '-e', join(directory, 'error.log')]),
    logFile: join(directory, 'nginx.log'),
    ready: () => answers(`http://127.0.0.1:${port}/v1/models`),
  });
  return { name: 'nginx', port, pid: child.pid, stop: () => child.stop() };
}

function configuration(port: number, mockPort: number, directory: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `  ${kind}_temp_path ${directory}/${kind};`,
  );
  return `daemon off;
worker_processes 1;
pid ${directory}/nginx.pid;
events { worker_connections 4096; }
http {
${temporary.join('\n')}
  access_log off;
  keepalive_requests 1000000000;
  client_body_buffer_size 1m;
  upstream mock { server 127.0.0.1:${mockPort}; keepalive 256; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://mock;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;
}
