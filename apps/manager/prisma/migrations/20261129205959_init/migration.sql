-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- Versions of outbox rows: a row made anew after its predecessor was pushed must not repeat an older number.
CREATE SEQUENCE "outbox_version_seq" AS BIGINT;

-- CreateTable
CREATE TABLE "domains" (
    "name" VARCHAR(64) NOT NULL,
    "description" VARCHAR(1024),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "domains_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "projects" (
    "id" UUID NOT NULL,
    "domain" VARCHAR(64) NOT NULL,
    "name" VARCHAR(128) NOT NULL,
    "description" VARCHAR(1024),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "projects_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" UUID NOT NULL,
    "domain" VARCHAR(64) NOT NULL,
    "name" VARCHAR(128) NOT NULL,
    "email" VARCHAR(320),
    "is_admin" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_tokens" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "domain" VARCHAR(64) NOT NULL,
    "name" VARCHAR(128),
    "token_hash" CHAR(64) NOT NULL,
    "display_hint" VARCHAR(32) NOT NULL,
    "is_bootstrap" BOOLEAN NOT NULL DEFAULT false,
    "expires_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "api_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "memberships" (
    "project_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "domain" VARCHAR(64) NOT NULL,
    "role" VARCHAR(16) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "memberships_pkey" PRIMARY KEY ("project_id","user_id")
);

-- CreateTable
CREATE TABLE "deployments" (
    "id" UUID NOT NULL,
    "domain" VARCHAR(64) NOT NULL,
    "project_id" UUID NOT NULL,
    "authority" VARCHAR(255) NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "served_model" VARCHAR(1024),
    "runtime_variant" VARCHAR(64) NOT NULL,
    "capabilities" JSONB NOT NULL,
    "policy" JSONB,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deployments_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "replica_groups" (
    "id" UUID NOT NULL,
    "deployment_id" UUID NOT NULL,
    "domain" VARCHAR(64) NOT NULL,
    "project_id" UUID NOT NULL,
    "name" VARCHAR(128) NOT NULL,
    "traffic_weight" INTEGER NOT NULL DEFAULT 100,
    "lifecycle" VARCHAR(16) NOT NULL DEFAULT 'stable',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "replica_groups_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "replicas" (
    "id" UUID NOT NULL,
    "deployment_id" UUID NOT NULL,
    "replica_group_id" UUID NOT NULL,
    "domain" VARCHAR(64) NOT NULL,
    "project_id" UUID NOT NULL,
    "host" VARCHAR(253) NOT NULL,
    "port" INTEGER NOT NULL,
    "weight" DOUBLE PRECISION NOT NULL DEFAULT 1,
    "accelerators" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "replicas_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model_publications" (
    "id" UUID NOT NULL,
    "domain" VARCHAR(64) NOT NULL,
    "project_id" UUID NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "authority" VARCHAR(255) NOT NULL,
    "control_mode" VARCHAR(32) NOT NULL DEFAULT 'manual',
    "policy" JSONB,
    "created_user" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_publications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model_publication_names" (
    "id" UUID NOT NULL,
    "publication_id" UUID NOT NULL,
    "domain" VARCHAR(64) NOT NULL,
    "project_id" UUID NOT NULL,
    "authority" VARCHAR(255) NOT NULL,
    "name" VARCHAR(255) NOT NULL,
    "is_primary" BOOLEAN NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "model_publication_names_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model_publication_endpoints" (
    "id" UUID NOT NULL,
    "publication_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "domain" VARCHAR(64) NOT NULL,
    "project_id" UUID NOT NULL,
    "ratio" DOUBLE PRECISION NOT NULL,
    "position" INTEGER NOT NULL,

    CONSTRAINT "model_publication_endpoints_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "model_api_keys" (
    "id" UUID NOT NULL,
    "token_hash" CHAR(64) NOT NULL,
    "display_hint" VARCHAR(32) NOT NULL,
    "name" VARCHAR(255),
    "authority" VARCHAR(255) NOT NULL,
    "session_owner" UUID NOT NULL,
    "domain" VARCHAR(64) NOT NULL,
    "project_id" UUID NOT NULL,
    "allowed_models" JSONB NOT NULL,
    "allowed_client_ips" JSONB,
    "attributes" JSONB,
    "expires_at" TIMESTAMPTZ(3),
    "rate_limit" INTEGER,
    "status" VARCHAR(16) NOT NULL DEFAULT 'ACTIVE',
    "suspended" BOOLEAN NOT NULL DEFAULT false,
    "revoked_at" TIMESTAMPTZ(3),
    "pushed_revision" VARCHAR(64),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "model_api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "outbox_entries" (
    "authority" VARCHAR(255) NOT NULL,
    "kind" VARCHAR(16) NOT NULL,
    "entity_key" VARCHAR(255) NOT NULL,
    "domain" VARCHAR(64),
    "project_id" UUID,
    "version" BIGINT NOT NULL DEFAULT nextval('outbox_version_seq'::regclass),
    "status" VARCHAR(16) NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_error" VARCHAR(500),
    "traceparent" VARCHAR(64),
    "next_attempt_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "leased_until" TIMESTAMPTZ(3),
    "lease_token" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "outbox_entries_pkey" PRIMARY KEY ("authority","kind","entity_key")
);

-- CreateTable
CREATE TABLE "tombstones" (
    "authority" VARCHAR(255) NOT NULL,
    "kind" VARCHAR(16) NOT NULL,
    "entity_key" VARCHAR(255) NOT NULL,
    "domain" VARCHAR(64),
    "project_id" UUID,
    "removed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tombstones_pkey" PRIMARY KEY ("authority","kind","entity_key")
);

-- CreateTable
CREATE TABLE "audit_logs" (
    "id" UUID NOT NULL,
    "domain" VARCHAR(64),
    "project_id" UUID,
    "actor_id" UUID,
    "actor_name" VARCHAR(128) NOT NULL,
    "action" VARCHAR(64) NOT NULL,
    "target_kind" VARCHAR(32) NOT NULL,
    "target_id" VARCHAR(255) NOT NULL,
    "target_name" VARCHAR(255),
    "request_id" VARCHAR(128),
    "changes" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "audit_logs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "domain" VARCHAR(64),
    "project_id" UUID,
    "idempotency_key" VARCHAR(255) NOT NULL,
    "request_hash" CHAR(64) NOT NULL,
    "status" VARCHAR(16) NOT NULL,
    "response_status" INTEGER,
    "response_body" JSONB,
    "leased_until" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "projects_domain_name_key" ON "projects"("domain", "name");

-- CreateIndex
CREATE UNIQUE INDEX "users_name_key" ON "users"("name");

-- CreateIndex
CREATE UNIQUE INDEX "api_tokens_token_hash_key" ON "api_tokens"("token_hash");

-- CreateIndex
CREATE INDEX "api_tokens_user_id_idx" ON "api_tokens"("user_id");

-- CreateIndex
CREATE INDEX "memberships_user_id_idx" ON "memberships"("user_id");

-- CreateIndex
CREATE INDEX "deployments_authority_idx" ON "deployments"("authority");

-- CreateIndex
CREATE UNIQUE INDEX "deployments_project_id_name_key" ON "deployments"("project_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "replica_groups_deployment_id_name_key" ON "replica_groups"("deployment_id", "name");

-- CreateIndex
CREATE INDEX "replicas_replica_group_id_idx" ON "replicas"("replica_group_id");

-- CreateIndex
CREATE UNIQUE INDEX "replicas_deployment_id_host_port_key" ON "replicas"("deployment_id", "host", "port");

-- CreateIndex
CREATE INDEX "model_publications_authority_idx" ON "model_publications"("authority");

-- CreateIndex
CREATE INDEX "model_publications_project_id_idx" ON "model_publications"("project_id");

-- CreateIndex
CREATE UNIQUE INDEX "model_publications_authority_name_key" ON "model_publications"("authority", "name");

-- CreateIndex
CREATE INDEX "model_publication_names_publication_id_idx" ON "model_publication_names"("publication_id");

-- CreateIndex
CREATE UNIQUE INDEX "model_publication_names_authority_name_key" ON "model_publication_names"("authority", "name");

-- CreateIndex
CREATE INDEX "model_publication_endpoints_endpoint_id_idx" ON "model_publication_endpoints"("endpoint_id");

-- CreateIndex
CREATE UNIQUE INDEX "model_publication_endpoints_publication_id_endpoint_id_key" ON "model_publication_endpoints"("publication_id", "endpoint_id");

-- CreateIndex
CREATE INDEX "model_api_keys_authority_idx" ON "model_api_keys"("authority");

-- CreateIndex
CREATE INDEX "model_api_keys_project_id_idx" ON "model_api_keys"("project_id");

-- CreateIndex
CREATE INDEX "model_api_keys_session_owner_idx" ON "model_api_keys"("session_owner");

-- CreateIndex
CREATE INDEX "outbox_entries_status_next_attempt_at_idx" ON "outbox_entries"("status", "next_attempt_at");

-- CreateIndex
CREATE INDEX "audit_logs_project_id_id_idx" ON "audit_logs"("project_id", "id");

-- CreateIndex
CREATE INDEX "audit_logs_target_kind_target_id_idx" ON "audit_logs"("target_kind", "target_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "idempotency_keys_user_id_idempotency_key_key" ON "idempotency_keys"("user_id", "idempotency_key");

-- AddForeignKey
ALTER TABLE "projects" ADD CONSTRAINT "projects_domain_fkey" FOREIGN KEY ("domain") REFERENCES "domains"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_domain_fkey" FOREIGN KEY ("domain") REFERENCES "domains"("name") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "memberships" ADD CONSTRAINT "memberships_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "replica_groups" ADD CONSTRAINT "replica_groups_deployment_id_fkey" FOREIGN KEY ("deployment_id") REFERENCES "deployments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "replicas" ADD CONSTRAINT "replicas_deployment_id_fkey" FOREIGN KEY ("deployment_id") REFERENCES "deployments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "replicas" ADD CONSTRAINT "replicas_replica_group_id_fkey" FOREIGN KEY ("replica_group_id") REFERENCES "replica_groups"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_publications" ADD CONSTRAINT "model_publications_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_publication_names" ADD CONSTRAINT "model_publication_names_publication_id_fkey" FOREIGN KEY ("publication_id") REFERENCES "model_publications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_publication_endpoints" ADD CONSTRAINT "model_publication_endpoints_publication_id_fkey" FOREIGN KEY ("publication_id") REFERENCES "model_publications"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_publication_endpoints" ADD CONSTRAINT "model_publication_endpoints_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "deployments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_api_keys" ADD CONSTRAINT "model_api_keys_project_id_fkey" FOREIGN KEY ("project_id") REFERENCES "projects"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "model_api_keys" ADD CONSTRAINT "model_api_keys_domain_fkey" FOREIGN KEY ("domain") REFERENCES "domains"("name") ON DELETE CASCADE ON UPDATE CASCADE;

-- What follows Prisma cannot express: rules that hold whoever writes.

ALTER TABLE "memberships" ADD CONSTRAINT "memberships_role_check" CHECK ("role" IN ('viewer', 'member', 'admin'));

ALTER TABLE "api_tokens" ADD CONSTRAINT "api_tokens_hash_check" CHECK ("token_hash" ~ '^[0-9a-f]{64}$');

ALTER TABLE "replica_groups"
  ADD CONSTRAINT "replica_groups_weight_check" CHECK ("traffic_weight" >= 0),
  ADD CONSTRAINT "replica_groups_lifecycle_check"
    CHECK ("lifecycle" IN ('rolling', 'stable', 'failed', 'draining', 'drained'));

ALTER TABLE "replicas"
  ADD CONSTRAINT "replicas_port_check" CHECK ("port" BETWEEN 1 AND 65535),
  ADD CONSTRAINT "replicas_weight_check" CHECK ("weight" >= 0 AND "weight" < 'Infinity'::float8);

ALTER TABLE "model_publications"
  ADD CONSTRAINT "model_publications_control_mode_check" CHECK ("control_mode" IN ('manual', 'strategy-managed'));

-- NaN compares greater than everything in PostgreSQL, so the upper bound refuses it too.
ALTER TABLE "model_publication_endpoints"
  ADD CONSTRAINT "model_publication_endpoints_ratio_check" CHECK ("ratio" >= 0 AND "ratio" < 'Infinity'::float8);

CREATE UNIQUE INDEX "model_publication_names_one_primary" ON "model_publication_names" ("publication_id")
  WHERE "is_primary";

-- Two live keys with one hash would be one credential with two sets of grants.
CREATE UNIQUE INDEX "model_api_keys_active_hash" ON "model_api_keys" ("authority", "token_hash")
  WHERE "status" = 'ACTIVE';

ALTER TABLE "model_api_keys"
  ADD CONSTRAINT "model_api_keys_hash_check" CHECK ("token_hash" ~ '^[0-9a-f]{64}$'),
  ADD CONSTRAINT "model_api_keys_status_check" CHECK ("status" IN ('ACTIVE', 'REVOKED')),
  ADD CONSTRAINT "model_api_keys_revoked_check" CHECK (("status" = 'REVOKED') = ("revoked_at" IS NOT NULL)),
  ADD CONSTRAINT "model_api_keys_rate_check" CHECK ("rate_limit" IS NULL OR "rate_limit" > 0),
  ADD CONSTRAINT "model_api_keys_grants_check" CHECK (jsonb_typeof("allowed_models") = 'array'),
  ADD CONSTRAINT "model_api_keys_suspended_check"
    CHECK ("suspended" = (jsonb_array_length("allowed_models") = 0));

-- Shrinking looks keys up by the names they may call.
CREATE INDEX "model_api_keys_allowed_models" ON "model_api_keys" USING GIN ("allowed_models")
  WHERE "status" = 'ACTIVE';

ALTER TABLE "outbox_entries"
  ADD CONSTRAINT "outbox_entries_kind_check" CHECK ("kind" IN ('deployment', 'publication', 'api-key')),
  ADD CONSTRAINT "outbox_entries_status_check" CHECK ("status" IN ('pending', 'poisoned'));

ALTER TABLE "tombstones"
  ADD CONSTRAINT "tombstones_kind_check" CHECK ("kind" IN ('deployment', 'publication', 'api-key'));

ALTER TABLE "idempotency_keys"
  ADD CONSTRAINT "idempotency_keys_status_check" CHECK ("status" IN ('in_progress', 'completed'));
