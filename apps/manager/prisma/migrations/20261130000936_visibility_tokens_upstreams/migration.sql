-- AlterTable
ALTER TABLE "deployments" ADD COLUMN     "allowed_client_ips" JSONB,
ADD COLUMN     "requires_token" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "upstream_deployment_id" UUID,
ADD COLUMN     "url" VARCHAR(2048),
ADD COLUMN     "url_visibility" VARCHAR(16),
ADD COLUMN     "visibility" VARCHAR(16) NOT NULL DEFAULT 'public';

-- CreateTable
CREATE TABLE "deployment_tokens" (
    "id" UUID NOT NULL,
    "deployment_id" UUID NOT NULL,
    "domain" VARCHAR(64) NOT NULL,
    "project_id" UUID NOT NULL,
    "session_owner" UUID NOT NULL,
    "token_hash" CHAR(64) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "deployment_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "upstream_bindings" (
    "deployment_id" UUID NOT NULL,
    "domain" VARCHAR(64) NOT NULL,
    "project_id" UUID NOT NULL,
    "rotation_interval_s" INTEGER NOT NULL DEFAULT 86400,
    "token_ciphertext" BYTEA,
    "encryption_key_id" VARCHAR(32),
    "issued_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3),
    "next_rotation_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "last_error" VARCHAR(500),
    "leased_until" TIMESTAMPTZ(3),
    "lease_token" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "upstream_bindings_pkey" PRIMARY KEY ("deployment_id")
);

-- CreateIndex
CREATE INDEX "deployment_tokens_deployment_id_idx" ON "deployment_tokens"("deployment_id");

-- CreateIndex
CREATE INDEX "deployment_tokens_expires_at_idx" ON "deployment_tokens"("expires_at");

-- CreateIndex
CREATE INDEX "upstream_bindings_next_rotation_at_idx" ON "upstream_bindings"("next_rotation_at");

-- CreateIndex
CREATE INDEX "audit_logs_created_at_idx" ON "audit_logs"("created_at");

-- CreateIndex
CREATE INDEX "deployments_upstream_deployment_id_idx" ON "deployments"("upstream_deployment_id");

-- CreateIndex
CREATE INDEX "tombstones_removed_at_idx" ON "tombstones"("removed_at");

-- AddForeignKey
ALTER TABLE "deployments" ADD CONSTRAINT "deployments_upstream_deployment_id_fkey" FOREIGN KEY ("upstream_deployment_id") REFERENCES "deployments"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "deployment_tokens" ADD CONSTRAINT "deployment_tokens_deployment_id_fkey" FOREIGN KEY ("deployment_id") REFERENCES "deployments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "upstream_bindings" ADD CONSTRAINT "upstream_bindings_deployment_id_fkey" FOREIGN KEY ("deployment_id") REFERENCES "deployments"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What follows Prisma cannot express: rules that hold whoever writes. Everything here is additive: services of the
-- release before run on it.

ALTER TABLE "deployments"
  ADD CONSTRAINT "deployments_visibility_check" CHECK ("visibility" IN ('public', 'internal')),
  ADD CONSTRAINT "deployments_client_ips_check"
    CHECK ("allowed_client_ips" IS NULL OR jsonb_typeof("allowed_client_ips") = 'array'),
  ADD CONSTRAINT "deployments_own_upstream_check" CHECK ("upstream_deployment_id" <> "id");

ALTER TABLE "deployment_tokens"
  ADD CONSTRAINT "deployment_tokens_hash_check" CHECK ("token_hash" ~ '^[0-9a-f]{64}$');

ALTER TABLE "upstream_bindings"
  ADD CONSTRAINT "upstream_bindings_interval_check" CHECK ("rotation_interval_s" > 0),
  ADD CONSTRAINT "upstream_bindings_token_check" CHECK (
    ("token_ciphertext" IS NULL) = ("expires_at" IS NULL) AND
    ("token_ciphertext" IS NULL) = ("issued_at" IS NULL) AND
    ("token_ciphertext" IS NULL) = ("encryption_key_id" IS NULL));
