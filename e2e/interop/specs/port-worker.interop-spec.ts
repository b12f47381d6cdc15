import { describe, expect, it } from '@jest/globals';

import { CoordinatorClient } from '../support/coordinator-client.ts';
import { describeInference } from '../support/inference-suite.ts';
import { describeInteractive } from '../support/interactive-suite.ts';
import { describeLife } from '../support/life-suite.ts';
import { site } from '../support/site.ts';

const pair = () => ({ coordinator: site().ports, worker: site().ports.http });

describe('a real port worker at our coordinator', () => {
  it('is registered with all ports of its range', async () => {
    const worker = await new CoordinatorClient(site().ports).worker('port-http');
    expect(worker).toMatchObject({ frontend_mode: 'port', protocol: 'http', available_slots: 8, nodes: 1 });
  });

  describe('serving inference', () => describeInference(pair, 400));
  describe('carrying an interactive app', () => describeInteractive(pair));
  describe('silent, back and gone', () => describeLife(pair));
});
