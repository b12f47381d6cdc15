import type {
  Circuit,
  CircuitPropagation,
  DeleteResponse,
  FrontendMode,
  EndpointItem,
  ListKeysResponse,
  ListModelsResponse,
  NodeDetail,
  PutKeyBody,
  PutModelBody,
  PutKeyResponse,
  PutModelResponse,
  RoutesItem,
} from '@penstock/protocol';

/** Bounds and context of one call. */
export interface CallOptions {
  readonly deadlineMs: number;
  readonly traceparent?: string | null;
}

/** A worker as the fleet view needs it. */
export interface RouterWorker {
  readonly id: string;
  readonly frontendMode: FrontendMode;
  readonly authority: string;
  readonly hostname: string;
  readonly nodes: number;
  readonly nodeDetails: readonly NodeDetail[];
}

/** The two steps of bringing a deployment to the coordinator. */
export interface DeploymentSteps {
  readonly created: CircuitPropagation | null;
  readonly routed: CircuitPropagation | null;
  /** Where the endpoint answered when it was created or found. */
  readonly url: string;
}

/** What one deployment's access token is minted for. */
export interface TokenWish {
  readonly userId: string;
  /** Whole seconds count. */
  readonly expiresAt: Date;
}

/** What the coordinator does for deployments. Each call is idempotent. All throw `CoordinatorError`. */
export interface EndpointsClient {
  /**
   * Creates the endpoint when it is missing, then replaces its routes, groups and policy.
   * @returns what became of each step; null where the coordinator does not tell
   */
  putDeployment(item: EndpointItem, routes: RoutesItem, options: CallOptions): Promise<DeploymentSteps>;
  removeDeployment(deploymentId: string, options: CallOptions): Promise<CircuitPropagation | null>;
  /** The endpoint's address as it is now; creates what is missing. */
  urlOf(item: EndpointItem, options: CallOptions): Promise<string>;
  /** Signs an access token of the endpoint. Status 404: the coordinator does not have the endpoint. */
  mintToken(deploymentId: string, wish: TokenWish, options: CallOptions): Promise<string>;
  /**
   * False for a coordinator of another make or an older one: it would drop `visibility` and open to the public what
   * is internal. It gives itself away by not knowing the lineage route.
   */
  knowsVisibility(deploymentId: string, options: CallOptions): Promise<boolean>;
  /** What the endpoint calls; undefined when the coordinator does not know the endpoint or the question. */
  upstreamOf(deploymentId: string, options: CallOptions): Promise<string | null | undefined>;
}

/**
 * The coordinator's manager-scoped calls. Each is idempotent, so that whoever is unsure may repeat it.
 * All throw `CoordinatorError`.
 */
export interface CoordinatorClient extends EndpointsClient {
  putModel(
    authority: string,
    model: string,
    body: PutModelBody,
    options: CallOptions,
  ): Promise<PutModelResponse>;
  removeModel(authority: string, model: string, options: CallOptions): Promise<DeleteResponse>;
  putKey(authority: string, keyId: string, body: PutKeyBody, options: CallOptions): Promise<PutKeyResponse>;
  /** With `strict` the answer names the nodes that acknowledged the removal and those that did not. */
  removeKey(authority: string, keyId: string, strict: boolean, options: CallOptions): Promise<DeleteResponse>;
  listModels(authority: string, options: CallOptions): Promise<ListModelsResponse>;
  listKeys(authority: string, options: CallOptions): Promise<ListKeysResponse>;
  /** Workers of every kind, without node details. */
  listWorkers(options: CallOptions): Promise<RouterWorker[]>;
  getRouter(workerId: string, options: CallOptions): Promise<RouterWorker>;
  listCircuits(workerId: string, options: CallOptions): Promise<Circuit[]>;
}

export const COORDINATOR_CLIENT = Symbol('CoordinatorClient');
