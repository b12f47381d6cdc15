import type { AppProxyEvent } from '@penstock/protocol';

import { AssessLivenessService } from '../../liveness/index.js';
import type { Publisher } from '../announce-change.service.js';

/** A bus and a liveness store that do what a test tells them. */
export class FakeFleet implements Publisher {
  live: string[] = ['n1', 'n2'];
  storeAnswers = true;
  connected = true;
  sends = true;
  onPublish: (event: AppProxyEvent) => void = () => undefined;
  readonly traces: (string | undefined)[] = [];

  readonly liveness = new AssessLivenessService(
    {
      beat: () => Promise.resolve(),
      forget: () => Promise.resolve(),
      acknowledged: () => Promise.resolve(),
      view: () => Promise.resolve(this.storeAnswers ? this.view() : null),
    },
    { sightings: () => Promise.resolve(this.view().sightings) },
    30,
  );

  publish(event: AppProxyEvent, options?: { traceparent?: string | undefined }): Promise<boolean> {
    this.traces.push(options?.traceparent);
    if (this.sends) this.onPublish(event);
    return Promise.resolve(this.sends);
  }

  private view() {
    const sightings = this.live.map((nodeId) => ({ nodeId, ageSeconds: 1 }));
    return { sightings, metadata: new Map(), lastSeenAgeSeconds: 1 };
  }
}
