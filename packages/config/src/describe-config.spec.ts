import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import { describeConfig, renderConfigTable } from './describe-config.js';
import { secret } from './secret.js';

const schema = z.strictObject({
  port: z.int().min(1).max(65_535).default(10_300).describe('Port to listen on.'),
  api_secret: secret().min(8).default('change-me-now').describe('Shared secret | of the cluster.'),
  coordinator: z.strictObject({ url: z.url(), idle_ms: z.int().min(0).default(5) }),
  cors: z.strictObject({ origins: z.array(z.string()).default(['*']) }).prefault({}),
  internal: z.strictObject({ host: z.string() }).nullable().default(null),
  advertise_url: z.url().optional(),
  strategy: z.enum(['a', 'b']).default('a'),
});

describe('describeConfig', () => {
  it('lists every key with type, default and meaning, secrets masked', () => {
    expect(describeConfig(schema)).toEqual([
      {
        key: 'port',
        type: 'integer 1..65535',
        default: '10300',
        secret: false,
        description: 'Port to listen on.',
      },
      {
        key: 'api_secret',
        type: 'secret string',
        default: '********',
        secret: true,
        description: 'Shared secret | of the cluster.',
      },
      { key: 'coordinator.url', type: 'uri', default: 'required', secret: false, description: '' },
      { key: 'coordinator.idle_ms', type: 'integer ≥ 0', default: '5', secret: false, description: '' },
      { key: 'cors.origins', type: 'list of string', default: '["*"]', secret: false, description: '' },
      { key: 'internal.host', type: 'string', default: 'optional', secret: false, description: '' },
      { key: 'advertise_url', type: 'uri', default: 'optional', secret: false, description: '' },
      { key: 'strategy', type: '`a`, `b`', default: '"a"', secret: false, description: '' },
    ]);
  });

  it('renders a Markdown table with the variable of each key', () => {
    const lines = renderConfigTable('router', schema).split('\n');
    expect(lines[0]).toBe('| Key | Type | Default | Meaning | Variable |');
    expect(lines[2]).toBe(
      '| `port` | integer 1..65535 | `10300` | Port to listen on. | `PENSTOCK_ROUTER_PORT` |',
    );
    expect(lines[3]).toContain('Shared secret \\| of the cluster.');
  });
});
