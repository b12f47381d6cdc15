/**
 * Connections that leave HTTP, WebSocket above all: the replica is asked first, and only when it agrees the two
 * connections are joined byte for byte. Who may reach the circuit has been decided before.
 */
export { proxyUpgrade } from './proxy-upgrade.js';
export type { UpgradeDeps, UpgradeJob, UpgradingClient } from './upgrade.port.js';
