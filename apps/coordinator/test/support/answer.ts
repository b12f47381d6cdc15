import type {
  Circuit,
  CircuitPropagation,
  NodeDetail,
  Propagation,
  Publication,
  RouterConfig,
  Slot,
  StrictResult,
  WireIssue,
} from '@penstock/protocol';

interface Item {
  readonly success: boolean;
  readonly error: string | null;
  readonly propagation?: CircuitPropagation;
}

/** The fields tests read of some answer or other. Which of them an answer has is what the tests find out. */
export interface AnswerBody {
  readonly id: string;
  readonly title: string;
  readonly nodes: number;
  readonly created_at: string;
  readonly revision: string;
  readonly workers: readonly { readonly id: string }[];
  readonly node_details: readonly NodeDetail[];
  readonly circuits: readonly Circuit[];
  readonly slots: readonly Slot[];
  readonly endpoints: readonly Item[];
  readonly internal_frontend: unknown;
  readonly model: Publication;
  readonly models: RouterConfig['models'];
  readonly propagation: Propagation;
  readonly strict: StrictResult;
  readonly data: { readonly errors: readonly WireIssue[] };
  readonly connectivity: { readonly overall_healthy: boolean };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AnswerBody;
}
