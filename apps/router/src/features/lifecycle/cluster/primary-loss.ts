import cluster from 'node:cluster';

/**
 * Calls back when this is a worker and its primary ended without ending it first, as after `kill -9`. Node would end
 * the worker in that same moment and cut its streams; with this the listener decides, and has to end the process.
 */
export function onPrimaryLoss(listener: () => void): void {
  const { worker } = cluster;
  worker?.once('disconnect', () => {
    worker.exitedAfterDisconnect = true; // What Node looks at right after this event.
    listener();
  });
}
