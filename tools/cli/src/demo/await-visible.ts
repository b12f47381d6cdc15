import { get } from 'node:http';
import { waitUntil } from '@penstock/backing-services';
import { DEMO_MODEL } from '../plan/demo-deployments.js';
import type { DemoToken } from '../state/credentials.js';
import { UserError } from '../user-error.js';

const VISIBLE_TIMEOUT_MS = 30_000;
const CALL_TIMEOUT_MS = 2_000;

/** Every router lists the model for the key: from here on a request works wherever it is sent. */
export async function awaitModel(ports: number[], key: string): Promise<void> {
  for (const port of ports) {
    await offers(port, DEMO_MODEL, async () => {
      const { text } = await listing(port, { authorization: `Bearer ${key}` });
      return text.includes(`"${DEMO_MODEL}"`);
    });
  }
}

/** Every router serves every deployment under its host name. */
export async function awaitEndpoints(ports: number[], tokens: Record<string, DemoToken>): Promise<void> {
  for (const port of ports) {
    for (const { token, url } of Object.values(tokens)) {
      const { host } = new URL(url);
      await offers(port, host, async () => {
        const { status } = await listing(port, { host, authorization: `Bearer ${token}` });
        return status === 200;
      });
    }
  }
}

async function offers(port: number, what: string, isVisible: () => Promise<boolean>): Promise<void> {
  if (await waitUntil(isVisible, VISIBLE_TIMEOUT_MS)) return;
  throw new UserError(
    `The router on port ${port} does not offer ${what} after ${VISIBLE_TIMEOUT_MS / 1000} s.`,
  );
}

/** Not by `fetch`, which sets the Host header by itself. */
function listing(port: number, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const options = { headers, agent: false, signal: AbortSignal.timeout(CALL_TIMEOUT_MS) };
    get(`http://127.0.0.1:${port}/v1/models`, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.once('error', reject);
    }).once('error', reject);
  });
}
