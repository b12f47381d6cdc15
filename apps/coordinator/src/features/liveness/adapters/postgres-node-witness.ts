import type { Database, Executor } from '../../../persistence/index.js';
import type { NodeSighting } from '../domain/summarise-liveness.js';

interface SightingRow {
  readonly node_id: string;
  readonly age: number;
}

/**
 * The second witness of who was heard from. Redis may lose everything and come back knowing only the nodes that beat
 * since; a proof of revocation built on that would leave out a node that still serves.
 */
export class PostgresNodeWitness {
  constructor(
    private readonly database: Database,
    private readonly ttlSeconds: number,
  ) {}

  async saw(workerId: string, nodeId: string): Promise<void> {
    await this.database.query(
      (db) => db.$executeRaw`
        INSERT INTO router_nodes (worker_id, node_id, last_seen) VALUES (${workerId}::uuid, ${nodeId}, now())
        ON CONFLICT (worker_id, node_id) DO UPDATE SET last_seen = now()`,
    );
  }

  async forget(workerId: string, nodeId: string): Promise<void> {
    await this.database.query((db) => db.routerNode.deleteMany({ where: { workerId, nodeId } }));
  }

  /** Ages by the database's clock, young ones only. */
  async sightings(workerId: string): Promise<NodeSighting[]> {
    const rows = await this.database.query((db) => this.select(db, workerId));
    return rows.map((row) => ({ nodeId: row.node_id, ageSeconds: row.age }));
  }

  /** Rows of nodes long gone. */
  async prune(): Promise<void> {
    await this.database.query(
      (db) =>
        db.$executeRaw`DELETE FROM router_nodes WHERE last_seen < now() - make_interval(secs => ${10 * this.ttlSeconds}::float8)`,
    );
  }

  private select(db: Executor, workerId: string): Promise<SightingRow[]> {
    return db.$queryRaw<SightingRow[]>`
      SELECT node_id, GREATEST(0, EXTRACT(EPOCH FROM now() - last_seen))::float8 AS age
      FROM router_nodes
      WHERE worker_id = ${workerId}::uuid AND last_seen >= now() - make_interval(secs => ${this.ttlSeconds}::float8)`;
  }
}
